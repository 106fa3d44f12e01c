import _TestSupport

/// A seeded patch as text, with an independent model of its contents that does not use the loader.
struct RandomPatch {
  struct Voice {
    let name: String
    let note: Int
    /// The cut-off group; 0 for none.
    let group: Int
  }
  struct Layer {
    /// The lowest and the highest activity at which the layer sounds.
    let from: Int
    let to: Int
    /// One character per step and voice. The key is the index of the voice in the kit.
    let lines: [Int: [Character]]
  }

  let stepCount: Int
  let voices: [Voice]
  let layers: [Layer]
  let text: String

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let (meter, stepsPerBar) = [("4/4", 16), ("3/4", 12), ("6/8", 12), ("7/16", 7), ("1/16", 1), ("2/2", 16)]
      .randomElement(using: &random)!
    let bars = Int(random.integer(in: 1...4))
    let steps = bars * stepsPerBar
    let notes = Array(0...127).shuffled(using: &random)
    let voices = (0..<Int(random.integer(in: 1...5))).map { place in
      Voice(name: "voice \(place)", note: notes[place], group: Int(random.integer(in: 0...2)))
    }
    let layers = (0..<Int(random.integer(in: 1...4))).map { _ in
      let bounds = [Int(random.integer(in: 0...127)), Int(random.integer(in: 0...127))].sorted()
      var lines: [Int: [Character]] = [:]
      // Voice 0 has a line, and each other voice has one with a probability of one half.
      for voice in voices.indices where lines.isEmpty || Bool.random(using: &random) {
        lines[voice] = (0..<steps).map { _ in "....oxX".randomElement(using: &random)! }
      }
      return Layer(from: bounds[0], to: random.integer(in: 0...3) == 0 ? 127 : bounds[1], lines: lines)
    }
    var text = "name: seed \(seed)\ndescription: Seeded.\nmeter: \(meter)\nbars: \(bars)\ntempo: 120\nkit:\n"
    for voice in voices {
      text += "  \(voice.name): { note: \(voice.note)\(voice.group == 0 ? "" : ", group: g\(voice.group)") }\n"
    }
    // An upper bound of 127 is left out, because it is the default.
    text += "layers:\n"
    for (place, layer) in layers.enumerated() {
      text +=
        "  - name: layer \(place)\n    activity: [\(layer.from)\(layer.to == 127 ? "" : ", \(layer.to)")]\n    steps:\n"
      for (voice, line) in layer.lines.sorted(by: { $0.key < $1.key }) {
        let spaced = line.enumerated().map { ($0 > 0 && $0 % 4 == 0 ? " " : "") + String($1) }.joined()
        text += "      \(voices[voice].name): \"\(spaced)\"\n"
      }
    }
    (self.stepCount, self.voices, self.layers, self.text) = (steps, voices, layers, text)
  }

  /// The velocity of each note that sounds at a step and an activity, directly from the definition: the loudest of all
  /// layers in range.
  func sounding(step: Int, activity: Int) -> [Int: Int] {
    var velocities: [Int: Int] = [:]
    for layer in layers where layer.from <= activity && activity <= layer.to {
      for (voice, line) in layer.lines {
        let velocity = [".": 0, "o": 56, "x": 88, "X": 120][line[step]]!
        if velocity > velocities[voices[voice].note, default: 0] { velocities[voices[voice].note] = velocity }
      }
    }
    return velocities
  }
}

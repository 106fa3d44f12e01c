import _TestSupport

/// A seeded patch as text, with an independent model of its contents that does not use the loader.
struct RandomPatch {
  struct Voice {
    let name: String
    let note: Int
    /// The cut-off group; 0 for none.
    let group: Int
    /// The loudness in percent.
    let level: Int
  }
  struct Line {
    /// The index of the voice.
    let voice: Int
    /// The lowest and the highest activity at which the line sounds.
    let from: Int
    let to: Int
    /// Whether the line replaces the lines of its voice above it.
    let replaces: Bool
    /// The distance between two characters in ticks.
    let distance: Int
    /// The characters of each bar.
    let bars: [[Character]]
  }

  let stepCount: Int
  let ticksPerBar: Int
  /// How much softer than written a line is at the lowest activity of its layer, in percent.
  let swell: Int
  let voices: [Voice]
  let lines: [Line]
  let text: String

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let (meter, stepsPerBar) = [("4/4", 16), ("3/4", 12), ("6/8", 12), ("7/16", 7), ("1/16", 1), ("2/2", 16)]
      .randomElement(using: &random)!
    let notes = Array(0...127).shuffled(using: &random)
    let voices = (0..<Int(random.integer(in: 1...5))).map { place in
      Voice(
        name: "voice \(place)", note: notes[place], group: Int(random.integer(in: 0...2)),
        level: Int(random.integer(in: 10...150)))
    }
    let swell = Int(random.integer(in: 0...50))
    var lines: [Line] = []
    var layerNames: [(name: String, lines: Range<Int>)] = []
    for layer in 0..<Int(random.integer(in: 1...4)) {
      let bounds = [Int(random.integer(in: 0...127)), Int(random.integer(in: 0...127))].sorted()
      let (from, to) = layer == 0 ? (0, 127) : (bounds[0], random.integer(in: 0...3) == 0 ? 127 : bounds[1])
      let name = layer == 0 ? "always" : to == 127 ? "from \(from)" : "from \(from) to \(to)"
      guard !layerNames.contains(where: { $0.name == name }) else { continue }
      let first = lines.count
      // In the first layer, each voice has a line. In each later layer, voice 0 has a line, and each other voice has one with a
      // probability of one half.
      for voice in voices.indices where voice == 0 || layer == 0 || Bool.random(using: &random) {
        // Triplets are possible if the bar is a whole number of quarter notes.
        let distance = stepsPerBar % 4 == 0 ? [6, 6, 8, 4].randomElement(using: &random)! : 6
        let bars = [1, 2, 4].randomElement(using: &random)!
        lines.append(
          Line(
            voice: voice, from: from, to: to, replaces: random.integer(in: 0...4) == 0, distance: distance,
            bars: (0..<bars).map { _ in
              (0..<stepsPerBar * 6 / distance).map { _ in "....oxX".randomElement(using: &random)! }
            }))
      }
      layerNames.append((name, first..<lines.count))
    }
    var text = "name: seed \(seed)\ndescription: Seeded.\nmeter: \(meter)\ntempo: 120\nswell: \(swell)%\nkit:\n"
    for voice in voices {
      // A group of its own replaces the default group of the note.
      let group = voice.group == 0 ? "alone\(voice.note)" : "g\(voice.group)"
      text += "  \(voice.name): { note: \(voice.note), group: \(group) }\n"
    }
    text += "level: { \(voices.map { "\($0.name): \($0.level)%" }.joined(separator: ", ")) }\nplay:\n"
    for (name, range) in layerNames {
      text += "  \(name):\n"
      for line in lines[range] {
        let bars = line.bars.map { bar in
          bar.enumerated().map { ($0 > 0 && $0 % 4 == 0 ? " " : "") + String($1) }.joined()
        }
        text += "    \(voices[line.voice].name)\(line.replaces ? "!" : ""): \"\(bars.joined(separator: " | "))\"\n"
      }
    }
    let barCounts = lines.map(\.bars.count)
    stepCount = stepsPerBar * (barCounts.max() ?? 1)
    ticksPerBar = stepsPerBar * 6
    (self.swell, self.voices, self.lines, self.text) = (swell, voices, lines, text)
  }

  /// The velocity of each note that sounds at a tick and an activity, by note. The velocity is that of the loudest stroke of all lines
  /// in range, except lines that a later line replaces.
  func sounding(tick: Int, activity: Int) -> [Int: Int] {
    var velocities: [Int: Int] = [:]
    for line in lines where line.from <= activity && activity <= line.to {
      let voice = voices[line.voice]
      if line.replaces { velocities[voice.note] = nil }
      let (bar, place) = (tick / ticksPerBar % line.bars.count, tick % ticksPerBar)
      guard place % line.distance == 0 else { continue }
      let notated = [".": 0, "o": 56, "x": 88, "X": 120][line.bars[bar][place / line.distance]]!
      if notated == 0 { continue }
      // In percent of the notated velocity: 100 - swell at the lowest activity of the layer, and 100 at the highest one.
      let share =
        line.from == line.to ? 100 : 100 - swell + swell * (activity - line.from) / (line.to - line.from)
      let velocity = min(127, max(1, notated * voice.level * share / 10_000))
      if velocity > velocities[voice.note, default: 0] { velocities[voice.note] = velocity }
    }
    return velocities
  }
}

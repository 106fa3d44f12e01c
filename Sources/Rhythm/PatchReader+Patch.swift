import MusicalTime
import Text
import Yams

extension PatchReader {
  private static let fields = [
    Field(name: "name", example: "name: street"),
    Field(name: "description", example: "description: A straight groove.", isRequired: false),
    Field(name: "tempo", example: "tempo: 100"),
    Field(name: "play", example: "play: { always: { kick: X... X... X... X... } }"),
    Field(name: "meter", example: "meter: 4/4", isRequired: false),
    Field(name: "beats", example: "beats: 2+2+3", isRequired: false),
    Field(name: "swing", example: "swing: 62%", isRequired: false),
    Field(name: "swell", example: "swell: 20%", isRequired: false),
    Field(name: "change", example: "change: bar", isRequired: false),
    Field(name: "seed", example: "seed: 1", isRequired: false),
    Field(name: "kit", example: "kit: { boom: 35 }", isRequired: false),
    Field(name: "feel", example: "feel: { snare: +8 ms }", isRequired: false),
    Field(name: "level", example: "level: { shaker: 80% }", isRequired: false),
    Field(name: "fill", example: "fill: { every: 8 bars, snare: .... .... .... xxxX }", isRequired: false),
    Field(name: "chords", example: "chords: Dm7 | G7 | Cmaj7 | Am7 D7", isRequired: false),
    Field(name: "parts", example: "parts: { bass: { always: { root: X... .... X... .... } } }", isRequired: false),
  ]

  /// Reads the patch from the root of a file with the text `source`. Returns nil if there are faults.
  mutating func patch(_ root: Node, from source: String) -> Patch? {
    guard let values = values(of: root, "", Self.fields) else { return nil }
    let name = values["name"].flatMap { self.name($0, "name") }
    let description = values["description"].flatMap { text($0, "description", maximumLength: 400) } ?? ""
    let tempo = values["tempo"].flatMap { self.tempo($0) }
    // An optional field has a default value. After a fault, this value replaces the faulty one, so that the reader continues and finds
    // all faults. Only a faulty meter stays nil. The reader then does not check the strokes of the lines.
    let meter = values["meter"].map { self.meter($0) } ?? .common
    let beats = values["beats"].flatMap { self.beats($0, of: meter) }
    let swing = values["swing"].flatMap { self.swing($0) } ?? .straight
    let swell = values["swell"].flatMap { percent($0, "swell", in: 0...50) } ?? 20
    let seed = values["seed"].flatMap { integer($0, "seed", in: 0...Int(UInt32.max)) } ?? 0
    let change = values["change"].flatMap { choice($0, "change", of: LayerChange.self) } ?? .beat
    var kit = Kit()
    if let node = values["kit"] { readNames(node, into: &kit) }
    var layers: [Layer] = []
    var lines: [Line] = []
    if let node = values["play"] { (layers, lines) = play(node, meter: meter, kit: &kit) }
    let fill = values["fill"].flatMap { self.fill($0, meter: meter, kit: &kit, lines: &lines) }
    if let node = values["feel"] { readFeel(node, into: &kit) }
    if let node = values["level"] { readLevels(node, into: &kit) }
    let chords = values["chords"].flatMap { self.chords($0, meter: meter) }
    let parts = values["parts"].map { self.parts($0, meter: meter, hasChords: values["chords"] != nil) } ?? []
    guard faults.isEmpty, let name, let tempo, let meter else { return nil }
    let patch = Patch(
      name: name, description: description, meter: meter, beatGroups: beats ?? meter.usualGroups, tempo: tempo,
      swing: swing, swell: swell, seed: UInt32(seed), layerChange: change, kit: kit.voices, layers: layers,
      lines: lines, fill: fill, chords: chords, parts: parts, text: source)
    checkLimits(of: patch, at: values["play"]?.position ?? .start)
    return faults.isEmpty ? patch : nil
  }

  /// Checks the limits that concern all lines together.
  private mutating func checkLimits(of patch: Patch, at position: TextPosition) {
    if patch.lines.count > StepTable.maximumLines {
      let excess = patch.lines.count - StepTable.maximumLines
      fault(
        at: position, "play",
        "has \(patch.lines.count) lines, including those of the fill, more than the limit of \(StepTable.maximumLines)",
        "remove \(excess)")
    }
    // The number of lines of a drum is limited, because the time to find the loudest of several strokes grows with this number.
    for (index, voice) in patch.kit.enumerated() {
      let count = patch.lines.count { $0.voice == index }
      if count > Patch.maximumLinesPerVoice {
        fault(
          at: position, "play",
          "has \(count) lines of \(voice.name), more than the limit of \(Patch.maximumLinesPerVoice)",
          "join some of them")
      }
    }
    let strokes =
      patch.lines.reduce(0) { $0 + $1.bars.joined().count }
      + patch.parts.flatMap(\.lines).reduce(0) { $0 + $1.bars.joined().count }
    if strokes > StepTable.maximumStrokes {
      fault(
        at: position, "play",
        "has \(strokes) strokes and rests, including the parts, more than the limit of \(StepTable.maximumStrokes)",
        "write shorter lines; a line repeats by itself")
    }
    if patch.bars > Patch.maximumBars {
      let lengths = patch.lengths.sorted().map(String.init)
      fault(
        at: position, "play",
        "needs \(patch.bars) bars until all lines, parts and chords repeat together, more than the limit of \(Patch.maximumBars); their lengths "
          + "are \(lengths.dropLast().joined(separator: ", ")) and \(lengths.last ?? "") bars",
        "use lengths such as 1, 2, 4 or 8 bars")
    }
    if patch.groups.count > Patch.maximumGroups {
      fault(
        at: position, "kit",
        "has \(patch.groups.count) cut-off groups (\(patch.groups.joined(separator: ", ")))",
        "use at most \(Patch.maximumGroups), including the predefined ones")
    }
  }

  private mutating func meter(_ node: Node) -> Meter? {
    let remedy = "write beats/unit, such as 4/4: 1 to 16 beats, unit 2, 4, 8 or 16"
    return value(node, "meter", "a meter", remedy: remedy) { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let beats = Int(parts[0]), let unit = Int(parts[1]) else { return nil }
      return Meter(beats: beats, unit: unit)
    }
  }

  /// Reads the field `beats`: the groups of units that are a beat, such as `2+2+3`. Nil if the meter is faulty.
  private mutating func beats(_ node: Node, of meter: Meter?) -> [Int]? {
    guard let meter else { return nil }
    let remedy =
      "write the units of each beat with + between them; their sum is \(meter.beats), such as "
      + meter.usualGroups.map(String.init).joined(separator: "+")
    return value(node, "beats", "a division of a bar of \(meter.beats)/\(meter.unit)", remedy: remedy) {
      meter.groups($0)
    }
  }

  private mutating func tempo(_ node: Node) -> Tempo? {
    value(node, "tempo", "a tempo", remedy: "write quarter notes per minute, from 20 to 999") { text in
      Double(text).flatMap { try? Tempo(bpm: $0) }
    }
  }

  /// Reads the swing: `62%` or `62% eighths`.
  private mutating func swing(_ node: Node) -> Swing? {
    let remedy = "write 50% (straight) to 75%; to swing eighth notes, add the word `eighths`, such as 66.7% eighths"
    guard let text = scalar(node, "swing", remedy: remedy) else { return nil }
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    let unit = parts.count == 2 ? parts[1].trimmed : ""
    guard parts.count == 2, let percent = Double(parts[0].trimmed), percent.isFinite,
      let unit = unit.isEmpty ? .sixteenths : Swing.Unit(rawValue: unit)
    else {
      fault(at: node.position, "swing", "is \"\(text.printable())\", not a swing", remedy)
      return nil
    }
    // The limits are tested before the conversion, which would trap for a large number.
    guard (50...75).contains(percent) else {
      fault(at: node.position, "swing", "is \"\(text.printable())\", out of range", remedy)
      return nil
    }
    return Swing(permille: Int((percent * 10).rounded()), unit: unit)
  }
}

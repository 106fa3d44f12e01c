import MusicalTime
import Yams

extension PatchReader {
  private static let partFields = ["sound", "range", "level", "feel"]
  private static let partRemedy = "write bass, guitar or keys, each with its lines in layers"

  /// Reads the field `parts`: the bass, the guitar and the keys.
  mutating func parts(_ node: Node, meter: Meter?, hasChords: Bool) -> [PitchedPart] {
    guard let entries = entries(of: node, "parts", remedy: Self.partRemedy) else { return [] }
    if entries.isEmpty { fault(at: node.position, "parts", "has no parts", Self.partRemedy) }
    if !hasChords {
      fault(at: node.position, "parts", "has no chords to play", "add the field chords, such as \"chords: Dm7 | G7\"")
    }
    var parts: [PitchedPart] = []
    for entry in entries {
      guard let part = Part.pitched.first(where: { $0.name == entry.name }) else {
        let known = Part.pitched.map(\.name)
        fault(
          at: entry.key.position, path("parts", entry.name), "is not a part",
          suggestion(for: entry.name, among: known, otherwise: Self.partRemedy) ?? Self.partRemedy)
        continue
      }
      if let part = self.part(part, entry.value, meter: meter) { parts.append(part) }
    }
    return parts.sorted { $0.part.rawValue < $1.part.rawValue }
  }

  /// Reads one part. Returns nil if the node is not a mapping, or if the number of layers is out of range.
  private mutating func part(_ part: Part, _ node: Node, meter: Meter?) -> PitchedPart? {
    let field = path("parts", part.name)
    let layersRemedy = "write 1 to \(Patch.maximumLayers) layers, such as \"always: { root: X... .... X... .... }\""
    guard let entries = entries(of: node, field, remedy: layersRemedy) else { return nil }
    func value(_ name: String) -> Node? { entries.first { $0.name == name }?.value }
    let standard = PitchedPart.standard(part)
    let program = value("sound").flatMap { self.program($0, path(field, "sound")) } ?? standard.program
    let range = value("range").flatMap { partRange($0, path(field, "range")) } ?? standard.range
    let level = value("level").flatMap { percent($0, path(field, "level"), in: 10...150) } ?? 100
    let feel = value("feel").flatMap {
      self.feel($0, path(field, "feel"), remedy: "write a time, such as +8 ms (later) or -3 ms (earlier)")
    }
    let layered = entries.filter { !Self.partFields.contains($0.name) }
    guard (1...Patch.maximumLayers).contains(layered.count) else {
      fault(at: node.position, field, "has \(layered.isEmpty ? "no" : "\(layered.count)") layers", layersRemedy)
      return nil
    }
    var layers: [Layer] = []
    var lines: [PartLine] = []
    for entry in layered {
      let field = path(field, entry.name)
      let named = layer(named: entry.name, at: entry.key.position, field, amongFields: Self.partFields)
      // After a fault in the name of the layer, its lines are still checked. An entry without lines is a misspelt field, not a layer.
      if named == nil, entry.value.mapping == nil { continue }
      let layer = named ?? Layer(activity: 0...127)
      layers.append(layer)
      let remedy = "write one line per tone, such as \"root: X--- .... x--- ....\""
      guard let entries = self.entries(of: entry.value, field, remedy: remedy) else { continue }
      if entries.isEmpty { fault(at: entry.value.position, field, "has no lines", remedy) }
      for entry in entries {
        let line = partLine(entry, path(field, entry.name), in: layers.count - 1, layer.activity, meter: meter)
        if let line { lines.append(line) }
      }
    }
    if lines.count > PitchedPart.maximumLines {
      fault(
        at: node.position, field, "has \(lines.count) lines, more than the limit of \(PitchedPart.maximumLines)",
        "join some of them")
    }
    return PitchedPart(
      part: part, program: program, range: range, level: level, feel: feel ?? .zero, layers: layers, lines: lines)
  }

  /// Reads the range of a part, such as `E1..C3`.
  private mutating func partRange(_ node: Node, _ field: String) -> ClosedRange<UInt8>? {
    let remedy = "write two keys, such as E1..C3; C4 is middle C"
    guard let text = scalar(node, field, remedy: remedy),
      let range = self.range(text, field, at: { _ in node.position })
    else { return nil }
    guard range.count >= 12 else {
      fault(
        at: node.position, field,
        "has \(Self.count(range.count, "key")), so some notes of the chords are outside of it",
        "write a range of at least an octave, such as C3..B3")
      return nil
    }
    return range
  }

  /// Reads a line of a part. Returns nil after a fault.
  private mutating func partLine(
    _ entry: Entry, _ field: String, in layer: Int, _ activity: ClosedRange<UInt8>, meter: Meter?
  ) -> PartLine? {
    guard let name = lineName(entry.name, at: entry.key.position, field) else { return nil }
    let tone = PartTone(named: name.voice)
    if tone == nil {
      let names = PartTone.allCases.map(\.name)
      let remedy = "write one of " + names.joined(separator: ", ")
      fault(
        at: entry.key.position, field, "is not the name of a line",
        suggestion(for: name.voice, among: names, otherwise: remedy) ?? remedy)
    }
    let remedy =
      "write . (rest), o (soft), x, X (accent) or - (hold) for each step; spaces are ignored, | separates bars, and only drums "
      + "have flams"
    guard let meter,
      let (bars, perQuarter) = bars(entry.value, field, meter: meter, remedy: remedy, { PartStep(ascii: $0) }),
      checkHolds(entry.value, field, bars.flatMap(\.self)), let tone
    else { return nil }
    return PartLine(
      voice: tone, layer: layer, activity: activity, replaces: name.replaces, lowActivityChance: name.chance.low,
      highActivityChance: name.chance.high, strokesPerQuarter: perQuarter, bars: bars)
  }

  /// Checks that each hold continues a note. Because the line repeats, its first step follows its last step. Returns false after a fault.
  private mutating func checkHolds(_ node: Node, _ field: String, _ steps: [PartStep]) -> Bool {
    // In a line that consists only of holds, each hold follows a hold, but no hold continues a note.
    let hasNote = steps.contains { if case .stroke = $0 { true } else { false } }
    let place = steps.indices.first { index in
      steps[index] == .hold && (!hasNote || steps[(index + steps.count - 1) % steps.count] == .rest)
    }
    guard let place else { return true }
    let text = node.scalar?.string ?? ""
    let characters = text.enumerated().filter { $0.element != " " && $0.element != "|" }
    fault(
      at: position(ofCharacter: characters[place].offset, in: node, text), field,
      "has - (hold) as character \(characters[place].offset + 1), but no note before it",
      "write o, x or X before it, or . (rest) instead of it")
    return false
  }
}

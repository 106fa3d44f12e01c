import MusicalTime
import Text
import Yams

extension PatchReader {
  private static let voiceFields = [
    Field(name: "note", example: "note: 36"), Field(name: "group", example: "group: hats", isRequired: false),
  ]

  /// Reads the field `kit`: names for notes, such as `boom: 35`, `boom: low kick` or `boom: { note: 35, group: low }`.
  mutating func readNames(_ node: Node, into kit: inout Kit) {
    let remedy = "write one line per drum, such as \"boom: 35\" or \"boom: low kick\""
    guard let entries = entries(of: node, "kit", remedy: remedy) else { return }
    guard entries.count <= Patch.maximumVoices else {
      fault(at: node.position, "kit", "has \(entries.count) drums", "write at most \(Patch.maximumVoices)")
      // The names are defined nevertheless, with the arbitrary note 36, so that the lines that use them cause no further faults.
      for entry in entries { kit.define(entry.name, note: 36, group: nil) }
      return
    }
    for entry in entries {
      let field = path("kit", entry.name)
      guard let name = text(entry.key, field, maximumLength: 40) else { continue }
      if let defect = Self.defect(ofVoiceName: name) {
        fault(at: entry.key.position, field, defect, "choose another name")
        continue
      }
      // After a fault in the value, the name is defined nevertheless, so that the lines that use the name cause no further faults.
      let voice = definition(entry.value, field)
      kit.define(name, note: voice?.note ?? 36, group: voice?.group)
    }
  }

  /// Returns the reason why a voice cannot have this name; nil for a valid name. The name must not end with `!` or `%`: in the name of a
  /// line, `!` means that the line replaces earlier lines, and `%` ends a chance. The name must not be a field of the fill.
  private static func defect(ofVoiceName name: String) -> String? {
    if let last = name.last, last == "!" || last == "%" { return "ends with \(last)" }
    return ["every", "chance", "from"].contains(name) ? "is reserved for a setting of the fill" : nil
  }

  /// Reads the value of one entry of the kit.
  private mutating func definition(_ node: Node, _ field: String) -> (note: UInt8, group: String?)? {
    guard node.mapping != nil else { return note(node, field).map { ($0, DrumNames.group(of: $0)) } }
    guard let values = values(of: node, field, Self.voiceFields) else { return nil }
    guard let note = values["note"].flatMap({ self.note($0, path(field, "note")) }) else { return nil }
    let group = values["group"].flatMap { text($0, path(field, "group"), maximumLength: 40) }
    return (note, group ?? DrumNames.group(of: note))
  }

  /// Reads a note: a number, or a name of General MIDI.
  private mutating func note(_ node: Node, _ field: String) -> UInt8? {
    let remedy = "write a note number from 0 to 127, or a General MIDI name, such as low kick"
    return value(node, field, "a drum", remedy: remedy) { text in
      DrumNames.note(named: text) ?? Int(text).flatMap { (0...127).contains($0) ? UInt8($0) : nil }
    }
  }

  /// Reads the field `feel`: how much later or earlier than the grid each voice sounds, such as `snare: +8 ms`.
  mutating func readFeel(_ node: Node, into kit: inout Kit) {
    let remedy = "write one line per drum, such as \"snare: +8 ms\" (later) or \"hat: -3 ms\" (earlier)"
    forEachVoice(node, "feel", remedy: remedy, of: &kit) { reader, node, field in
      guard let feel = reader.feel(node, field, remedy: remedy) else { return nil }
      return { $0.feel = feel }
    }
  }

  /// Reads how much later or earlier than the grid a voice or a part sounds, such as `+8 ms`.
  mutating func feel(_ node: Node, _ field: String, remedy: String) -> Nanoseconds? {
    let limit = Voice.maximumFeel.count / 1_000_000
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    guard text.hasSuffix("ms"), let number = Double(text.dropLast(2).trimmed), number.magnitude <= Double(limit) else {
      fault(
        at: node.position, field, "is \"\(text.printable())\", not a time in range",
        "write -\(limit) ms to +\(limit) ms")
      return nil
    }
    return Nanoseconds.microseconds(Int64((number * 1000).rounded()))
  }

  /// Reads the field `level`: the loudness of voices, such as `shaker: 80%`.
  mutating func readLevels(_ node: Node, into kit: inout Kit) {
    let remedy = "write one line per drum, such as \"shaker: 80%\""
    forEachVoice(node, "level", remedy: remedy, of: &kit) { reader, node, field in
      guard let level = reader.percent(node, field, in: 10...150) else { return nil }
      return { $0.level = level }
    }
  }

  /// Reads a field that contains values for some of the voices. A voice that no line uses is a fault.
  ///
  /// - Parameter read: reads one value, and returns the function that changes the voice; nil after a fault.
  private mutating func forEachVoice(
    _ node: Node, _ field: String, remedy: String, of kit: inout Kit,
    _ read: (inout PatchReader, Node, String) -> ((inout Voice) -> Void)?
  ) {
    guard let entries = entries(of: node, field, remedy: remedy) else { return }
    for entry in entries {
      let field = path(field, entry.name)
      let change = read(&self, entry.value, field)
      guard let note = kit.note(named: entry.name), let index = kit.voices.firstIndex(where: { $0.note == note }) else {
        // After another fault, this fault is not reported, because the line that uses the voice may have been omitted.
        if faults.isEmpty {
          fault(
            at: entry.key.position, field, "is used by no line",
            suggestion(for: entry.name, among: kit.voices.map(\.name), otherwise: "remove this entry")
              ?? "write the name of a drum from play or fill, or remove this entry")
        }
        continue
      }
      if let change { kit.update(index, change) }
    }
  }
}

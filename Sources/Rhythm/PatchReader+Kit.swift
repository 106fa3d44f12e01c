import Yams

extension PatchReader {
  private static let fields = [
    Field(name: "note", example: "note: 36"), Field(name: "group", example: "group: hats", isRequired: false),
  ]

  /// Reads the voices of the kit, and the index of each voice by name. The indices include voices with an invalid
  /// value, so that the layers that use them are not reported. Such a voice is not in `voices`. The indices then do not
  /// match `voices`, but the fault rejects the whole patch. The indices are nil if there is no valid kit.
  mutating func kit(_ node: Node) -> (voices: [Voice], indices: [String: Int]?) {
    let remedy = "write one line per voice, such as \"kick: { note: 36 }\""
    guard let entries = entries(of: node, "kit", remedy: remedy) else { return ([], nil) }
    guard (1...Patch.maximumVoices).contains(entries.count) else {
      fault(at: node.position, "kit", "has \(entries.count) voices", "write 1 to \(Patch.maximumVoices)")
      return ([], nil)
    }
    var voices: [Voice] = []
    var indices: [String: Int] = [:]
    var groups: Set<String> = []
    for (index, entry) in entries.enumerated() {
      indices[entry.name] = index
      guard let voice = voice(entry) else { continue }
      let field = path("kit", entry.name)
      if let other = voices.first(where: { $0.note == voice.note }) {
        fault(
          at: entry.key.position, path(field, "note"), "is \(voice.note), the same as that of \(other.name)",
          "give each voice its own note")
      }
      if let group = voice.group, groups.insert(group).inserted, groups.count > Patch.maximumGroups {
        fault(
          at: entry.key.position, path(field, "group"),
          "is one group too many: a kit has at most \(Patch.maximumGroups)",
          "put the voice in another group, or in none")
      }
      voices.append(voice)
    }
    return (voices, indices)
  }

  /// Reads one voice. Returns nil if there are faults in its fields.
  private mutating func voice(_ entry: Entry) -> Voice? {
    let field = path("kit", entry.name)
    let name = text(entry.key, field, maximumLength: 40)
    guard let values = values(of: entry.value, field, Self.fields) else { return nil }
    let note = values["note"].flatMap { integer($0, path(field, "note"), in: 0...127) }
    let group = values["group"].map { text($0, path(field, "group"), maximumLength: 40) }
    // Without the field, `group` is nil. With an invalid group, it is .some(nil).
    guard let name, let note, group != .some(nil) else { return nil }
    return Voice(name: name, note: UInt8(note), group: group ?? nil)
  }
}

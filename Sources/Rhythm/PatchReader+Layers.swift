import Yams

extension PatchReader {
  private static let fields = [
    Field(name: "name", example: "name: pulse"), Field(name: "activity", example: "activity: [0, 127]"),
    Field(name: "steps", example: "steps: { kick: X... }"),
  ]

  /// Reads the layers. `kit` contains the index of each voice by name, and `steps` is the length of the pattern in steps.
  /// Both are nil if the file does not define them; the checks that need them are then omitted.
  mutating func layers(_ node: Node, kit: [String: Int]?, steps: Int?) -> [Layer] {
    guard let list = node.sequence else {
      fault(at: node.position, "layers", "is \(kind(of: node)), not a list", "begin each layer with \"- name: ...\"")
      return []
    }
    guard (1...Patch.maximumLayers).contains(list.count) else {
      fault(at: node.position, "layers", "has \(list.count) layers", "write 1 to \(Patch.maximumLayers)")
      return []
    }
    var layers: [Layer] = []
    for (index, node) in list.enumerated() {
      guard let layer = layer(node, "layers[\(index)]", kit: kit, steps: steps) else { continue }
      if layers.contains(where: { $0.name == layer.name }) {
        fault(
          at: node.position, "layers[\(index)].name", "is \"\(layer.name)\", the name of an earlier layer",
          "give each layer its own name")
      }
      layers.append(layer)
    }
    return layers
  }

  /// Reads one layer. Returns nil if there are faults in its fields.
  private mutating func layer(_ node: Node, _ field: String, kit: [String: Int]?, steps: Int?) -> Layer? {
    guard let values = values(of: node, field, Self.fields) else { return nil }
    let name = values["name"].flatMap { text($0, "\(field).name", maximumLength: 40) }
    let activity = values["activity"].flatMap { self.activity($0, "\(field).activity") }
    let tracks = values["steps"].map { self.tracks($0, "\(field).steps", kit: kit, steps: steps) }
    guard let name, let activity, let tracks else { return nil }
    return Layer(name: name, activity: activity, tracks: tracks)
  }

  /// Reads a range of total activity: [from, to], or only [from] for all values up to 127.
  private mutating func activity(_ node: Node, _ field: String) -> ClosedRange<UInt8>? {
    let remedy = "write [from, to], or only [from] for all values up to 127"
    guard let list = node.sequence, (1...2).contains(list.count) else {
      let reason = node.sequence.map { "has \($0.count) numbers" } ?? "is \(kind(of: node)), not a list"
      fault(at: node.position, field, reason, remedy)
      return nil
    }
    let numbers = list.map { integer($0, field, in: 0...127) }
    guard let from = numbers[0], let to = numbers.count == 2 ? numbers[1] : 127 else { return nil }
    guard from <= to else {
      fault(at: node.position, field, "goes from \(from) down to \(to)", "write the smaller number first")
      return nil
    }
    return UInt8(from)...UInt8(to)
  }

  /// Reads the tracks of a layer. A track with a fault is omitted.
  private mutating func tracks(_ node: Node, _ field: String, kit: [String: Int]?, steps: Int?) -> [Layer.Track] {
    let remedy = "write one line per voice, such as \"kick: X... x...\""
    guard let entries = entries(of: node, field, remedy: remedy) else { return [] }
    if entries.isEmpty { fault(at: node.position, field, "has no voices", remedy) }
    var tracks: [Layer.Track] = []
    for entry in entries {
      let field = path(field, entry.name)
      let voice = kit?[entry.name]
      if kit != nil, voice == nil {
        fault(at: entry.key.position, field, "is not a voice of the kit", "add it to kit or use a voice of the kit")
      }
      guard let strokes = strokes(entry.value, field, steps: steps), let voice else { continue }
      tracks.append(Layer.Track(voice: voice, strokes: strokes))
    }
    return tracks
  }

  /// Reads the strokes of one track: for each step a dynamic, or nil for a rest. Returns nil after a fault.
  private mutating func strokes(_ node: Node, _ field: String, steps: Int?) -> [Dynamic?]? {
    let remedy = "write ., o, x or X for each step; spaces and | are ignored"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    var strokes: [Dynamic?] = []
    for (index, character) in text.enumerated() where !" |\n".contains(character) {
      let dynamic = Dynamic(character)
      guard dynamic != nil || character == "." else {
        let sign = String(character).printable(upTo: 1)
        fault(at: node.position, field, "has \"\(sign)\" as character \(index + 1)", remedy)
        return nil
      }
      strokes.append(dynamic)
    }
    // Without the length of the pattern, the number of strokes cannot be checked.
    guard let steps, strokes.count != steps else { return strokes }
    let remedyForLength = strokes.count < steps ? "add \(steps - strokes.count)" : "remove \(strokes.count - steps)"
    fault(at: node.position, field, "has \(strokes.count) steps, the pattern has \(steps)", remedyForLength)
    return nil
  }
}

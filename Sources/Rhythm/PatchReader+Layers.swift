import Yams

extension PatchReader {
  private static let fields = [
    Field(name: "name", example: "name: pulse"), Field(name: "activity", example: "activity: [0, 127]"),
    Field(name: "steps", example: "steps: { kick: X... }"),
  ]

  /// Reads the layers. `kit` contains the indices of the voices, and `steps` the length of the pattern; nil if the file
  /// does not define them.
  mutating func layers(_ node: Node, kit: [String: Int]?, steps: Int?) -> [Layer] {
    guard let list = node.sequence else {
      fault(at: node.place, "layers", "is \(kind(of: node)), not a list", "begin each layer with \"- name: ...\"")
      return []
    }
    guard (1...Patch.maximumLayers).contains(list.count) else {
      fault(at: node.place, "layers", "has \(list.count) layers", "write 1 to \(Patch.maximumLayers)")
      return []
    }
    var layers: [Layer] = []
    for (place, node) in list.enumerated() {
      guard let layer = layer(node, "layers[\(place)]", kit: kit, steps: steps) else { continue }
      if layers.contains(where: { $0.name == layer.name }) {
        fault(
          at: node.place, "layers[\(place)].name", "is \"\(layer.name)\", the name of an earlier layer",
          "give each layer its own name")
      }
      layers.append(layer)
    }
    return layers
  }

  private mutating func layer(_ node: Node, _ field: String, kit: [String: Int]?, steps: Int?) -> Layer? {
    guard let values = values(of: node, field, Self.fields) else { return nil }
    let name = values["name"].flatMap { text($0, "\(field).name", most: 40) }
    let activity = values["activity"].flatMap { self.activity($0, "\(field).activity") }
    let tracks = values["steps"].map { self.tracks($0, "\(field).steps", kit: kit, steps: steps) }
    guard let name, let activity, let tracks else { return nil }
    return Layer(name: name, activity: activity, tracks: tracks)
  }

  private mutating func activity(_ node: Node, _ field: String) -> ClosedRange<UInt8>? {
    let remedy = "write [from, to], each 0 to 127, or [from]"
    guard let list = node.sequence, (1...2).contains(list.count) else {
      let reason = node.sequence.map { "has \($0.count) numbers" } ?? "is \(kind(of: node)), not a list"
      fault(at: node.place, field, reason, remedy)
      return nil
    }
    let numbers = list.map { integer($0, field, in: 0...127) }
    guard let from = numbers[0], let to = numbers.count == 2 ? numbers[1] : 127 else { return nil }
    guard from <= to else {
      fault(at: node.place, field, "goes from \(from) down to \(to)", "write the smaller number first")
      return nil
    }
    return UInt8(from)...UInt8(to)
  }

  private mutating func tracks(_ node: Node, _ field: String, kit: [String: Int]?, steps: Int?) -> [Layer.Track] {
    let remedy = "write one line per voice, such as \"kick: X... x...\""
    guard let entries = entries(of: node, field, remedy: remedy) else { return [] }
    if entries.isEmpty { fault(at: node.place, field, "has no voices", remedy) }
    var tracks: [Layer.Track] = []
    for entry in entries {
      let field = path(field, entry.name)
      let voice = kit?[entry.name]
      if kit != nil, voice == nil {
        fault(at: entry.key.place, field, "is not a voice of the kit", "add it to kit or name another voice")
      }
      guard let strokes = strokes(entry.value, field, steps: steps), let voice else { continue }
      tracks.append(Layer.Track(voice: voice, strokes: strokes))
    }
    return tracks
  }

  private mutating func strokes(_ node: Node, _ field: String, steps: Int?) -> [Dynamic?]? {
    let remedy = "write ., o, x or X for each step; spaces and | are ignored"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    var strokes: [Dynamic?] = []
    for (place, character) in text.enumerated() where !" |\n".contains(character) {
      let dynamic = Dynamic(character)
      guard dynamic != nil || character == "." else {
        let sign = String(character).printable(upTo: 1)
        fault(at: node.place, field, "has \"\(sign)\" as character \(place + 1)", remedy)
        return nil
      }
      strokes.append(dynamic)
    }
    guard let steps, strokes.count != steps else { return strokes }
    let difference = strokes.count < steps ? "add \(steps - strokes.count)" : "remove \(strokes.count - steps)"
    fault(at: node.place, field, "has \(strokes.count) steps, the pattern has \(steps)", difference)
    return nil
  }
}

import MusicalTime
import Text
import Yams

extension PatchReader {
  private static let layerNames =
    "`always`, `from N`, `to N` or `from N to M`, where N and M are activities from 0 to 127"
  static let layerRemedy = "write \(layerNames)"

  /// Reads the field `play`: the layers with their lines.
  mutating func play(_ node: Node, meter: Meter?, kit: inout Kit) -> ([Layer], [Line]) {
    guard let entries = entries(of: node, "play", remedy: Self.layerRemedy) else { return ([], []) }
    guard (1...Patch.maximumLayers).contains(entries.count) else {
      let count = entries.isEmpty ? "no" : "\(entries.count)"
      fault(at: node.position, "play", "has \(count) layers", "write 1 to \(Patch.maximumLayers)")
      return ([], [])
    }
    var layers: [Layer] = []
    var lines: [Line] = []
    for entry in entries {
      let field = path("play", entry.name)
      // After a fault in the name of the layer, its lines are still checked.
      let layer = layer(named: entry.name, at: entry.key.position, field) ?? Layer(activity: 0...127)
      layers.append(layer)
      let remedy = "write one line per drum, such as \"kick: X... X... X... X...\""
      guard let entries = self.entries(of: entry.value, field, remedy: remedy) else { continue }
      if entries.isEmpty { fault(at: entry.value.position, field, "has no lines", remedy) }
      lines += self.lines(entries, field, in: layers.count - 1, activity: layer.activity, meter: meter, kit: &kit)
    }
    return (layers, lines)
  }

  /// Reads the name of a layer.
  ///
  /// - Parameter fields: the other fields of a part, which the remedy suggests besides the layers; empty outside of parts.
  mutating func layer(
    named name: String, at position: TextPosition, _ field: String, amongFields fields: [String] = []
  ) -> Layer? {
    let words = name.split(separator: " ")
    let bounds: [Substring]
    switch (words.count, words.first, words.dropFirst(2).first) {
    case (1, "always", nil): bounds = ["0", "127"]
    case (2, "from", nil): bounds = [words[1], "127"]
    case (2, "to", nil): bounds = ["0", words[1]]
    case (4, "from", "to"): bounds = [words[1], words[3]]
    default: bounds = []
    }
    let numbers = bounds.compactMap { UInt8($0) }.filter { $0 <= 127 }
    guard numbers.count == 2 else {
      if fields.isEmpty {
        fault(at: position, field, "is not the name of a layer", Self.layerRemedy)
      } else {
        let remedy = "write \(fields.joined(separator: ", ")), or a layer: \(Self.layerNames)"
        fault(at: position, field, "is neither a field nor a layer of a part", remedy)
      }
      return nil
    }
    guard numbers[0] <= numbers[1] else {
      fault(at: position, field, "goes from \(numbers[0]) down to \(numbers[1])", "write the smaller number first")
      return nil
    }
    return Layer(activity: numbers[0]...numbers[1])
  }

  /// Reads the field `fill`, and adds its lines to `lines`.
  mutating func fill(_ node: Node, meter: Meter?, kit: inout Kit, lines: inout [Line]) -> Fill? {
    let remedy = "write \"every: 8 bars\" and one line per drum, such as \"snare: .... .... .... xxxX\""
    guard let entries = entries(of: node, "fill", remedy: remedy) else { return nil }
    func entry(_ name: String) -> Node? { entries.first { $0.name == name }?.value }
    var period: Int?
    if let node = entry("every") {
      period = self.period(node)
    } else {
      fault(at: node.position, "fill.every", "is missing", "add it, such as \"every: 8 bars\"")
    }
    let chance = entry("chance").map { percent($0, "fill.chance", in: 1...100) } ?? 100
    let from = entry("from").map { integer($0, "fill.from", in: 0...127) } ?? 0
    let strokes = entries.filter { !["every", "chance", "from"].contains($0.name) }
    if strokes.isEmpty { fault(at: node.position, "fill", "has no lines", remedy) }
    lines += self.lines(strokes, "fill", in: nil, activity: UInt8(from ?? 0)...127, meter: meter, kit: &kit)
    guard let period, let chance, from != nil else { return nil }
    return Fill(period: period, chance: chance)
  }

  /// Reads the field `every` of the fill: the number of bars in a group, such as `8 bars`.
  private mutating func period(_ node: Node) -> Int? {
    let remedy = "write 2 bars to \(Fill.maximumPeriod) bars"
    return value(node, "fill.every", "a number of bars in range", remedy: remedy) { text in
      let words = text.split(separator: " ")
      guard words.count == 2, words[1] == "bars", let bars = Int(words[0]) else { return nil }
      return (2...Fill.maximumPeriod).contains(bars) ? bars : nil
    }
  }
}

import Text
import Yams

extension PatchReader {
  /// Reads a property that follows a control: `force`, `force, 40..110` or, except for the pitch, a constant such as `90`. Only the
  /// pitch can follow the key.
  mutating func mapping(_ node: Node, _ field: String, isPitch: Bool = false) -> ControlMapping? {
    let names = ControlSource.names.map(\.name).filter { isPitch || $0 != "key" }.joined(separator: ", ")
    let constant = isPitch ? "" : ", or a constant from 0 to 127"
    let remedy = "write one of \(names), controller 0 to controller 119\(constant)"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    if !isPitch, let value = UInt8(text), value <= 127 { return ControlMapping(constant: value) }
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard let source = ControlSource(named: parts[0].trimmed), isPitch || source != .key else {
      fault(at: node.position, field, "is \"\(text.printable())\", not a control", remedy)
      return nil
    }
    guard parts.count == 2 else { return ControlMapping(source) }
    // The position of the range: the first character after the comma and the spaces. Only a fault needs it.
    func position() -> TextPosition {
      self.position(ofCharacter: text.count - parts[1].drop { $0 == " " }.count, in: node, text)
    }
    guard source != .key else {
      fault(
        at: position(), field, "has a range after `key`", "write `key` without a range; the field scale limits the keys"
      )
      return nil
    }
    // The two dots separate three parts: the lower value, an empty text and the upper value.
    let bounds = parts[1].trimmed.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = bounds.compactMap { UInt8($0.trimmed) }.filter { $0 <= 127 }
    guard bounds.count == 3, bounds[1].isEmpty, numbers.count == 2 else {
      fault(
        at: position(), field, "has the invalid range \"\(parts[1].trimmed.printable())\"",
        "write two values from 0 to 127, such as \(source.name), 40..110")
      return nil
    }
    return ControlMapping(source, from: numbers[0], to: numbers[1])
  }

  /// Reads a figure: one character for each unit of the grid.
  mutating func figure(_ node: Node) -> Figure? {
    let remedy =
      "write . (rest), o (soft), x, X (accent), or 1 to 9 (notes of the scale) for each unit of the grid; spaces and | are ignored"
    guard let text = scalar(node, "figure", remedy: remedy) else { return nil }
    var notes: [Figure.Note?] = []
    for (index, character) in text.enumerated() where character != " " && character != "|" {
      if character == "." {
        notes.append(nil)
        continue
      }
      guard let note = note(character) else {
        fault(
          at: position(ofCharacter: index, in: node, text), "figure",
          "has \"\(String(character).printable(upTo: 1))\" as character \(index + 1)", remedy)
        return nil
      }
      notes.append(note)
    }
    guard (1...Figure.maximumLength).contains(notes.count) else {
      fault(
        at: node.position, "figure", "has \(notes.count) units of the grid",
        "write 1 to \(Figure.maximumLength); the figure repeats by itself")
      return nil
    }
    guard notes.contains(where: { $0 != nil }) else {
      fault(at: node.position, "figure", "has no notes", "write at least one note, or remove the figure")
      return nil
    }
    return Figure(notes: notes)
  }

  /// The note that a figure writes as `character`; nil for any other character. A figure has no flams.
  private func note(_ character: Character) -> Figure.Note? {
    if let stroke = Stroke(character), !stroke.isFlam { return Figure.Note(stroke: stroke, degree: 0) }
    guard character.isASCII, let degree = character.wholeNumberValue, degree > 0 else { return nil }
    return Figure.Note(stroke: .normal, degree: UInt8(degree - 1))
  }
}

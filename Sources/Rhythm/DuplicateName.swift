import Text

/// The fault of a name that is defined twice in one mapping. The parser reports the first place only, so the second one is found in the text.
struct DuplicateName {
  let name: String
  /// The place of the first definition.
  let position: TextPosition
  let reason: String
  let remedy: String

  init(_ name: String, at position: TextPosition, in lines: [Substring]) {
    (self.name, self.position) = (name, position)
    let second = Self.second(name, after: position, in: lines)
    reason =
      second.map { "is defined again in line \($0)" } ?? "is defined more than once, and the first definition is here"
    // The fields at the top of a file are no lines.
    guard let second, position.column > 1, Self.hasStrokes(lines[second - 1], after: name) else {
      remedy = "keep one definition"
      return
    }
    // Two lines of one drum, or of one tone of a part, need different names.
    remedy =
      name.hasSuffix("%")
      ? "keep one definition, or change the percentage in one of the names"
      : "keep one definition; to keep both lines, change one of the names to `\(name.printable(upTo: 60)) 100%`"
  }

  /// The number of the next line that defines `name` in the same column, within the same mapping; nil if there is none.
  private static func second(_ name: String, after position: TextPosition, in lines: [Substring]) -> Int? {
    guard lines.indices.contains(position.line) else { return nil }
    for index in position.line..<lines.count {
      let text = lines[index].drop { $0 == " " }
      guard let first = text.first, first != "#" else { continue }
      let column = lines[index].count - text.count + 1
      if column < position.column { return nil }
      if column == position.column, rest(of: text, after: name) != nil { return index + 1 }
    }
    return nil
  }

  /// The text after the name and its colon; nil if a line defines another name.
  private static func rest(of line: Substring, after name: String) -> Substring? {
    for written in [name, "\"\(name)\"", "'\(name)'"] where line.hasPrefix(written) {
      let rest = line.dropFirst(written.count).drop { $0 == " " }
      if rest.first == ":" { return rest.dropFirst() }
    }
    return nil
  }

  /// Whether a line defines strokes or steps, and not a layer or a field.
  private static func hasStrokes(_ line: Substring, after name: String) -> Bool {
    guard let rest = rest(of: line.drop { $0 == " " }, after: name) else { return false }
    let value = rest.prefix { $0 != "#" }.filter { !$0.isWhitespace }
    return !value.isEmpty && value.allSatisfy { ".oxXfF-|\"'".contains($0) }
  }
}

import Text

/// A line that the user types and edits: its characters, and the cursor between two of them.
struct TypedLine: Equatable {
  private(set) var before: [Character]
  private(set) var after: [Character] = []

  /// What is shown before the line.
  private static let sign = ":"

  init(_ text: String = "") { before = Array(text) }

  var text: String { String(before + after) }
  /// The text before the cursor.
  var head: String { String(before) }

  mutating func insert(_ text: String) {
    // The cursor may stand between two scalars that form one character with the new one.
    before = Array(String(before) + text)
  }

  /// Appends what stands after the cursor of another line.
  mutating func append(_ other: TypedLine) { after = other.after }

  mutating func deleteBackward() { _ = before.popLast() }
  mutating func deleteForward() { if !after.isEmpty { after.removeFirst() } }
  mutating func moveLeft() { if let character = before.popLast() { after.insert(character, at: 0) } }
  mutating func moveRight() { if !after.isEmpty { before.append(after.removeFirst()) } }
  mutating func moveToBeginning() { (before, after) = ([], before + after) }
  mutating func moveToEnd() { (before, after) = (before + after, []) }

  /// The part around the cursor that fits into `columns`, and how many columns the cursor stands before its end.
  func visible(columns: Int) -> (text: String, cursor: Int) {
    let head = Self.sign + String(before)
    // The end of the text before the cursor is what the user types.
    var start = head.startIndex
    var width = head.columns
    while width > columns, start < head.endIndex {
      width -= head[start].columns
      start = head.index(after: start)
    }
    let tail = String(after).prefix(columns: columns - width)
    return (head[start...] + tail, tail.columns)
  }
}

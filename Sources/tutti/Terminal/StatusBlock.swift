/// The lines at the bottom of a terminal that are overwritten: the text that replaces the present lines by new ones.
///
/// The cursor stays at the end of the last line. To replace the lines, it moves up to the first one. After the terminal has become
/// narrower, it shows a long line in several rows, so the number of rows depends on the present width.
///
/// The control sequences are those of ECMA-48: CUU (cursor up) and ED (erase to the end of the screen).
struct StatusBlock {
  private(set) var lines: [String] = []

  /// Returns the text that erases the present lines and moves the cursor to their beginning.
  private func erasing(width: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + max(1, ($1.count + width - 1) / max(1, width)) }
    return (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\r\u{1B}[J"
  }

  /// Returns the text that replaces the present lines by `new` ones on a terminal of `width` columns.
  mutating func replace(by new: [String], width: Int) -> String {
    defer { lines = new }
    return erasing(width: width) + new.joined(separator: "\n")
  }

  /// Returns the text that prints `line` above the present lines.
  func printing(_ line: String, width: Int) -> String {
    erasing(width: width) + line + "\n" + lines.joined(separator: "\n")
  }
}

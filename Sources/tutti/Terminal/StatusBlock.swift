/// The status lines at the bottom of a terminal, which are redrawn in place. The methods return the text, with control
/// sequences, that the caller must write to the terminal.
///
/// The cursor stays at the end of the last line. Before the lines are replaced, the cursor moves up to the first line. After the
/// terminal was narrowed, a long line wraps, so the number of rows depends on the current width.
///
/// The control sequences are those of ECMA-48: CUU (cursor up) and ED (erase to the end of the screen).
struct StatusBlock {
  /// The visible lines.
  private(set) var lines: [String] = []

  /// Returns the text that erases the current lines and moves the cursor to their beginning.
  private func erasing(width: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + max(1, ($1.count + width - 1) / max(1, width)) }
    return (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\r\u{1B}[J"
  }

  /// Returns the text that replaces the current lines with `new` on a terminal of `width` columns.
  mutating func replace(by new: [String], width: Int) -> String {
    defer { lines = new }
    return erasing(width: width) + new.joined(separator: "\n")
  }

  /// Returns the text that prints `line` above the current lines.
  func printing(_ line: String, width: Int) -> String {
    erasing(width: width) + line + "\n" + lines.joined(separator: "\n")
  }
}

/// Collects text and prints it in large parts: a call of `print` for each of millions of rows would be slow.
struct RowPrinter {
  private var text = ""
  private static let size = 1 << 16

  /// Prints `row` with a line end, sooner or later.
  mutating func print(_ row: String) {
    text += row
    text += "\n"
    if text.utf8.count > Self.size { flush() }
  }

  /// Prints what was collected.
  mutating func flush() {
    Swift.print(text, terminator: "")
    text = ""
  }
}

/// Collects rows of text and prints them in large parts. A call of `print` for each of millions of rows would be slow.
struct RowPrinter {
  private var text = ""
  /// The number of octets above which the collected text is printed.
  private static let size = 1 << 16

  /// Adds `row` and a line end to the text. The text is printed when it is large, and by ``flush()``.
  mutating func print(_ row: String) {
    text += row
    text += "\n"
    if text.utf8.count > Self.size { flush() }
  }

  /// Prints the rest of the text.
  mutating func flush() {
    Swift.print(text, terminator: "")
    text = ""
  }
}

extension StringProtocol {
  /// Returns the text in a form that is safe for one line of a terminal: each scalar that is not printable is escaped, and the text is cut
  /// after `length` characters.
  ///
  /// Real-time: not safe.
  package func printable(upTo length: Int = 40) -> String {
    // In most texts, each octet is a printable character.
    if utf8.count <= length {
      let text = String(self)
      if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    }
    var text = ""
    // One character can consist of any number of Unicode scalars, for example a letter with combining accents. The number
    // of scalars is therefore limited too, to four per character on average.
    for scalar in prefix(length).unicodeScalars.prefix(4 * length) {
      text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return self.dropFirst(length).isEmpty ? text : text + "..."
  }
}

extension StringProtocol {
  /// The text as it may stand in a message on a terminal: what would not show, or would move the cursor, is written
  /// as an escape, and what is longer than `length` characters is cut.
  func printable(upTo length: Int = 40) -> String {
    var text = ""
    for scalar in prefix(length).unicodeScalars.prefix(4 * length) {
      text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return self.dropFirst(length).isEmpty ? text : text + "..."
  }
}

extension Unicode.Scalar {
  /// Whether it shows on one line of a terminal and does nothing else.
  var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

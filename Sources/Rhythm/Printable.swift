extension StringProtocol {
  /// The text in a form that is safe for a message on a terminal: characters that are not printable or move the cursor
  /// are escaped, and the text is cut after `length` characters.
  func printable(upTo length: Int = 40) -> String {
    var text = ""
    // One character can consist of any number of Unicode scalars, for example a letter with combining accents. The number
    // of scalars is therefore limited too, to four per character on average.
    for scalar in prefix(length).unicodeScalars.prefix(4 * length) {
      text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return self.dropFirst(length).isEmpty ? text : text + "..."
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

extension Unicode.Scalar {
  /// Whether the character is printable on one line of a terminal and has no other effect.
  var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

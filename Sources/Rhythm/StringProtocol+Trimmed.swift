extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    guard unicodeScalars.first == " " || unicodeScalars.last == " " else { return String(self) }
    let text = drop { $0 == " " }
    guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
    return String(text[...last])
  }
}

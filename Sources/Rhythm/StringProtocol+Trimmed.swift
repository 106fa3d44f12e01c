extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

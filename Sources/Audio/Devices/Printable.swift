extension StringProtocol {
  /// The text as it may stand on one line of a terminal: what does not show, moves the cursor or turns the direction of
  /// writing becomes "?". At most 100 characters.
  package func printable() -> String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(100).map { $0.shows ? $0 : "?" }))
  }
}

extension Unicode.Scalar {
  /// Whether it shows on one line of a terminal and does nothing else.
  fileprivate var shows: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

extension String {
  /// Returns the text in a form that is safe for one line of a terminal. Characters that are invisible, move the cursor
  /// or change the writing direction are replaced by "?".
  func printable() -> String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "?" }))
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible on one line of a terminal and has no other effect.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

extension StringProtocol {
  /// Returns the text in a form that is safe for one line of a terminal: each control, format, private-use or unassigned scalar,
  /// such as one that moves the cursor or changes the writing direction, is replaced by "?". Scalars after the first 100 are
  /// omitted.
  ///
  /// Real-time: not safe.
  package func printable() -> String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(100).map { $0.isPrintable ? $0 : "?" }))
  }
}

extension Unicode.Scalar {
  /// Whether the only effect of the scalar on a terminal is a visible character or a space on the current line.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

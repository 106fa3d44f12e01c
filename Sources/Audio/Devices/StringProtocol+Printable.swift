extension StringProtocol {
  /// Returns the text in a form that is safe for one line of a terminal: every scalar that is invisible, moves the cursor
  /// or changes the writing direction is replaced by "?". The result has at most 100 scalars.
  package func printable() -> String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(100).map { $0.isPrintable ? $0 : "?" }))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal shows the scalar on the current line, without another effect.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

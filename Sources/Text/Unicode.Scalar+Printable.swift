extension Unicode.Scalar {
  /// Whether the only effect of the scalar on one line of a terminal or a page is a visible sign, a space, or another form of the sign
  /// before it. False for controls, for scalars without a sign (such as U+200B, zero width space), for scalars that change the writing
  /// direction (such as U+202E, right-to-left override), and for scalars whose sign is not known.
  ///
  /// Real-time: not safe.
  package var isPrintable: Bool {
    // ASCII needs no tables.
    if value < 0x7F { return value >= 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    // A variation selector chooses the form of the sign before it, such as the coloured form of a heart.
    default: !properties.isDefaultIgnorableCodePoint || isVariationSelector
    }
  }

  /// Whether the scalar alone is a visible sign.
  var isVisible: Bool {
    // U+2800 is the Braille pattern without dots.
    isPrintable && !properties.isWhitespace && !isVariationSelector && value != 0x2800
  }

  private var isVariationSelector: Bool { (0xFE00...0xFE0F).contains(value) }
}

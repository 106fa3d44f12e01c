extension Character {
  /// The number of columns that the character takes on a terminal: 1, or 2 for a wide character.
  ///
  /// A terminal draws one character (grapheme cluster) in the columns of its first scalar; what follows changes its form only. Wide are the
  /// scalars whose East_Asian_Width is W or F (Unicode Standard Annex #11), and emoji. A variation selector 16 asks for the picture of a
  /// sign, and two regional indicators are a flag (UTS #51): both are wide too.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    let isPicture = first.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xFE0F }
    return isPicture || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The blocks of wide scalars: Hangul Jamo, CJK and Kana, Yi, Hangul, compatibility and full-width forms, and the supplementary planes of
  /// ideographs.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// The number of columns that the text takes on a terminal.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The beginning of the text that fits into this number of columns.
  func prefix(columns: Int) -> String {
    var (text, room) = ("", columns)
    for character in self {
      room -= character.columns
      if room < 0 { break }
      text.append(character)
    }
    return text
  }

  /// The text with spaces after it, so that it takes at least this number of columns.
  func padded(toColumns columns: Int) -> String {
    String(self) + String(repeating: " ", count: Swift.max(0, columns - self.columns))
  }

  /// The lines of the text, broken between words, each at most `columns` wide. A word that is longer than a line is not broken, so that an
  /// address can be copied. The lines after the first one begin with `indent`.
  func wrapped(toColumns columns: Int, indent: String = "") -> [String] {
    guard self.columns > columns else { return [String(self)] }
    var (lines, line) = ([String](), "")
    var isEmpty = true
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, line.columns + 1 + word.columns > columns {
        lines.append(line)
        (line, isEmpty) = (indent, true)
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}

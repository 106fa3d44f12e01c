import Testing

@testable import Text

/// Tests of texts of other programs that are printed on a terminal.
@Suite struct PrintableTests {
  /// Control characters, line and paragraph separators, invisible characters, and characters that set the direction of text are escaped.
  @Test(arguments: [
    ("USB Audio, Größe 2", "USB Audio, Größe 2"), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("a\r\n\tb", "a\\u{d}\\u{a}\\u{9}b"),
    ("\u{7F}\u{85}\u{9B}", "\\u{7f}\\u{85}\\u{9b}"),
    ("\u{202E}evil\u{2066}\u{200F}", "\\u{202e}evil\\u{2066}\\u{200f}"),
    ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("a\u{200B}\u{3164}b", "a\\u{200b}\\u{3164}b"), ("", ""),
  ])
  func unprintableScalarsAreEscaped(text: String, expected: String) { #expect(text.printable() == expected) }

  @Test func lengthIsLimited() {
    #expect(String(repeating: "x", count: 5_000).printable(upTo: 100) == String(repeating: "x", count: 100) + "...")
    // One character of 5000 scalars.
    #expect(("x" + String(repeating: "\u{301}", count: 5_000)).printable(upTo: 10).unicodeScalars.count == 40)
  }
}

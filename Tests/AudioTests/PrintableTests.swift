import Audio
import Testing

/// Tests of texts of other programs that are printed on a terminal.
@Suite struct PrintableTests {
  /// Control characters, line and paragraph separators, and characters that set the direction of text are replaced.
  @Test(arguments: [
    ("USB Audio, Größe 2", "USB Audio, Größe 2"), ("a\u{1B}[2Jb", "a?[2Jb"), ("a\r\n\tb", "a???b"),
    ("\u{7F}\u{85}\u{9B}", "???"), ("\u{202E}evil\u{2066}\u{200F}", "?evil??"), ("a\u{2028}b\u{2029}", "a?b?"),
    ("", ""),
  ])
  func unprintableScalarsAreReplaced(text: String, expected: String) { #expect(text.printable() == expected) }

  @Test func textIsLimitedTo100Characters() {
    #expect(String(repeating: "x", count: 5_000).printable() == String(repeating: "x", count: 100))
  }
}

import Testing

@testable import Text

/// Tests of ``StringProtocol/cleanName()``.
@Suite struct NameTests {
  @Test(arguments: [
    ("Ada", "Ada"), ("Größe 2", "Größe 2"), ("花子", "花子"), ("  Ada \u{A0}Lovelace\u{3000}", "Ada  Lovelace"),
    ("a\u{1B}[2Jb\r\n\tc\u{7F}\u{9B}", "a[2Jbc"), ("\u{202E}adA\u{202C}", "adA"),
    ("A\u{2066}d\u{2069}a\u{200E}\u{200F}", "Ada"),
    ("A\u{200B}d\u{200C}a\u{200D}\u{2060}\u{FEFF}\u{AD}", "Ada"), ("A\u{2028}d\u{2029}a\u{E000}\u{378}", "Ada"),
    ("A\u{E0041}\u{3164}\u{115F}da", "Ada"), ("heart \u{2764}\u{FE0F}", "heart \u{2764}\u{FE0F}"),
    ("A\u{FFFD}", "A\u{FFFD}"),
  ])
  func onlyPrintableScalarsRemain(text: String, expected: String) { #expect(text.cleanName() == expected) }

  @Test(arguments: [
    "", " ", "\u{A0}\u{3000}\u{2003}", "\u{200B}\u{200D}", "\u{202E}\u{2066}", "\u{3164}\u{115F}\u{FFA0}", "\u{FE0F}",
    "\u{2800}",
    "\u{0}\u{1B}", "\u{E000}\u{10FFFF}",
  ])
  func textWithoutAVisibleSignIsNoName(text: String) { #expect(text.cleanName() == nil) }

  /// 48 octets are 48 letters, 24 letters with umlauts, or 16 Chinese characters. A letter with an accent is one character of three octets.
  @Test(arguments: [("a", 48), ("ä", 24), ("花", 16), ("e\u{301}", 16), ("ae\u{301}", 12), ("\u{1F469}\u{1F3FD}", 6)])
  func nameHasAtMost48Octets(character: String, count: Int) {
    let text = String(repeating: character, count: 5_000)
    #expect(text.cleanName() == String(repeating: character, count: count))
  }

  @Test func nameIsCutBeforeACharacterAndNotInside() {
    let letters = String(repeating: "a", count: 46)
    #expect((letters + "e\u{301}b").cleanName() == letters)
    #expect((letters + " bcd").cleanName() == letters + " b")
    #expect((letters + "  bcd").cleanName() == letters, "the cut leaves no space at the end")
    // The first character alone has more than 48 octets.
    #expect(("a" + String(repeating: "\u{301}", count: 40)).cleanName() == nil)
  }

  /// Another program has cut the name in the middle of a character, or has sent octets that are not UTF-8.
  @Test(
    arguments: [
      ([], ""), ([0x41], "A"), ([0x41, 0xC3], "A"), ([0x41, 0xC3, 0xA4], "Aä"), ([0x41, 0xE8, 0x8A], "A"),
      ([0x41, 0xE8], "A"), ([0xE8, 0x8A, 0xB1], "花"), ([0x41, 0xF0, 0x9F, 0x91], "A"),
      ([0xF0, 0x9F, 0x91, 0xA9], "\u{1F469}"), ([0xC3], ""), ([0x41, 0xFF], "A\u{FFFD}"), ([0x41, 0xA4], "A\u{FFFD}"),
      ([0x41, 0xE4, 0x42, 0xC3], "A\u{FFFD}B"), ([0xA4, 0xA4, 0xA4, 0xA4], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    ] as [([UInt8], String)])
  func incompleteCharacterAtTheEndIsDropped(octets: [UInt8], name: String) { #expect(String(name: octets) == name) }

  @Test(arguments: ["Ada", "花子", "a  b", "heart \u{2764}\u{FE0F}"])
  func cleanNameIsNotChanged(name: String) { #expect(name.cleanName()?.cleanName() == name) }
}

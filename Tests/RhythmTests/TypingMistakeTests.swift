import Testing

@testable import Rhythm

/// Mistakes that make a file invalid YAML. The fault names the likely line and the mistake in words that a player understands.
@Suite struct TypingMistakeTests {
  private static let colon = "has no colon; write a colon and a space after the name, such as `kick: X... X...`"
  private static let space = "has no space after the colon; write a space after it, such as `kick: X... X...`"
  private static let indentation =
    "is not indented like the line above; "
    + "begin all lines of a layer in the same column, after the same number of spaces"

  /// The number of the replaced line of `smallPatch`, its new text, and the expected message, which begins with the line and the column.
  @Test(arguments: [
    (1, "name small", "1:1: \(colon)"),
    (4, "tempo 96", "4:1: \(colon)"),
    (4, "tempo:96", "4:1: \(space)"),
    (11, "play", "11:1: \(colon)"),
    (12, "  always", "12:3: \(colon)"),
    (13, "    kick X... .... x... ....", "13:5: \(colon)"),
    (13, "    kick:X... .... x... ....", "13:5: \(space)"),
    // The parser reports line 17, because it takes the two lines for one name.
    (16, "    hat o.x. o.x. o.x. o... # the hat: soft", "16:5: \(colon)"),
    (22, "  bell .... .... .... xxxF", "22:3: \(colon)"),
    (14, "\tboom: x..x ..x. x..x ..x.", "14:2: begins with a tab; write spaces instead of the tab"),
    (14, "      boom: x..x ..x. x..x ..x.", "14:7: \(indentation)"),
    (14, "   boom: x..x ..x. x..x ..x.", "14:4: \(indentation)"),
    (
      2, "description: Ada: a groove",
      "2:1: has two colons; write quotation marks around the text after the first colon"
    ),
  ])
  func likelyLineIsNamed(line: Int, text: String, message: String) {
    #expect(faults(replacing: [line: text]) == ["small.yaml:" + message])
  }

  /// Errors without a likely mistake are those of the parser.
  @Test func otherErrorsAreThoseOfTheParser() {
    #expect(faults(replacing: [2: "description: *d"]).first?.contains("is not valid YAML at column 14") == true)
    #expect(faults(replacing: [6: "feel: { kick: -3 ms"]).count == 1)
  }

  /// A name that is defined twice in brackets has no line of its own for the second definition.
  @Test func duplicateInBracketsIsReported() {
    #expect(
      faults(replacing: [6: "feel: { kick: -3 ms, kick: 2 ms }"]) == [
        "small.yaml:6:9: kick: is defined more than once, and the first definition is here; keep one definition"
      ])
  }

  /// The search for the second definition ends at the end of the mapping, and ignores comments and deeper lines.
  @Test func secondDefinitionIsFoundInTheSameMapping() {
    #expect(
      faults(
        "name: a\ntempo: 100\nplay:\n  always:\n    kick: x\n  # always:\n  \"always\":\n    kick: x\nfill:\n  always: 1\n"
      )
        == ["small.yaml:4:3: always: is defined again in line 7; keep one definition"])
    let chords = smallStyle.map { $0.hasPrefix("      chord:") ? $0 + "\n" + $0 : $0 }.joined(separator: "\n")
    #expect(
      faults(chords) == [
        "small.yaml:19:7: chord: is defined again in line 20; "
          + "keep one definition; to keep both lines, change one of the names to `chord 100%`"
      ])
  }
}

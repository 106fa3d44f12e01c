import Rhythm
import Testing

/// Texts made to break a YAML reader. They are rejected with a line number, without a trap and after bounded work. The function
/// `faults` loads a text, or `smallPatch` with replaced lines (SmallPatch.swift).
@Suite struct HostileTextTests {
  @Test func aliasesAreRejectedBeforeParsing() {
    // A billion laughs attack: each list contains the list before it ten times. In the second text, the last list is also a key, which
    // the YAML library (Yams) would hash.
    var bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for (name, before) in zip("bcdefghij", "abcdefghi") {
      bomb += "\(name): &\(name) [\(Array(repeating: "*\(before)", count: 10).joined(separator: ", "))]\n"
    }
    let message = "small.yaml:2:8: has the alias *a, which is not allowed; write its value instead"
    #expect(faults(bomb) == [message])
    #expect(faults(bomb + "? *j\n: x\n") == [message])
    // Ampersands and asterisks within a text are permitted, and so is an anchor that no alias uses.
    #expect(faults(replacing: [2: "description: Rock & roll, R&B and *stars*."]) == [])
    #expect(faults(replacing: [2: "description: &d An anchor without alias."]) == [])
    // An alias without an anchor does no harm, so only the parser rejects it.
    #expect(
      faults(replacing: [2: "description: *d"]).first?.hasPrefix("small.yaml:2:14: is not valid YAML at column 14: ")
        == true)
  }

  @Test func excessiveBracketsAndQuestionMarksAreRejected() {
    let brackets =
      "has more than 1024 of the characters [ and {, including comments; write nested values on indented lines instead"
    let questions = "has more than 16 question marks, including comments; remove some of them"
    // Bracket 1025 is in column 1025. Question mark 17 is in column 33, after 16 pairs of a question mark and a space.
    let keys = String(repeating: "{", count: 5_000) + "a" + String(repeating: ": 1}", count: 5_000)
    #expect(faults(keys) == ["small.yaml:1:1025: \(brackets)"])
    #expect(faults("\n" + String(repeating: "? ", count: 5_000)) == ["small.yaml:2:33: \(questions)"])
  }

  /// Deep nesting, then quotes and tags in large numbers, then single violations of the syntax of YAML or of a patch.
  @Test(arguments: [
    String(repeating: "[", count: 1_000), String(repeating: "- ", count: 20_000), String(repeating: "a: ", count: 900),
    (0..<1_500).map { String(repeating: " ", count: $0 % 170) + "k:\n" }.joined(),
    String(repeating: "{", count: 340) + "a" + String(repeating: ": 1}", count: 340),
    String(repeating: "\"", count: 9_999), String(repeating: "!", count: 9_999), "%YAML 9.9\n---\na: b",
    "a: \"\\ud800\"", "a: \"\\0\"", "a\u{0}b: c", "a: \u{7F}", "\tname: x", "name: |x", "name: x\n---\nname: y",
    "? [a]\n: b",
    "!a kick: 1\n!b kick: 2", "name: 'never closed", "@", "`", "{a: b", "[a, b", "}", "a: b: c", "\u{85}\u{2028}x: [",
  ])
  func hostileTextIsRejectedWithALineNumber(text: String) throws {
    let error = try #require(throws: PatchError.self) { try PatchLoader.patch(from: text, file: "small.yaml") }
    // The number of lines. A line end at the end of the text begins no further line.
    let lines = 1 + text.count { $0.isNewline } - (text.hasSuffix("\n") ? 1 : 0)
    for fault in error.faults { #expect((1...lines).contains(fault.line), "\(fault)") }
  }

  @Test func messageOfAnUnterminatedQuoteNamesItsFirstLine() {
    // The parser finds the fault at the end of the text, in line 22. The message also names the line of the quote.
    let found = faults(replacing: [2: "description: 'open"])
    #expect(found.count == 1 && found[0].hasPrefix("small.yaml:22:"))
    #expect(found[0].contains("while scanning a quoted scalar that begins in line 2, found unexpected end of stream; "))
  }

  /// A sign and the combining accent after it are one character, also if the sign alone is a stroke, a space or an alias.
  @Test func accentsBelongToTheSignBefore() {
    let message =
      "write . (rest), o (soft), x, X (accent), f or F (flams) for each step; spaces are ignored, and | separates bars"
    #expect(
      faults(replacing: [16: "    hat: o.x. o.x\u{301}. o.x. o..."])
        == ["small.yaml:16:17: play.from 64 to 100.hat: has \"x\u{301}\" as character 8; \(message)"])
    #expect(
      faults(replacing: [16: "    hat: o.x. \u{301}o.x. o.x. o..."])
        == ["small.yaml:16:14: play.from 64 to 100.hat: has \" \u{301}\" as character 5; \(message)"])
    #expect(
      faults(replacing: [2: "description: &a Été.", 4: "été: *a"])
        == ["small.yaml:4:6: has the alias *a, which is not allowed; write its value instead"])
  }

  @Test func textSizeIsLimited() {
    // The limit is 256 KiB.
    let comment = "\n#" + String(repeating: "x", count: PatchLoader.maximumBytes)
    #expect(
      faults(smallPatch.joined(separator: "\n") + comment) == [
        "small.yaml:1:1: has more than 262144 bytes; write a shorter patch"
      ])
  }

  @Test func controlCharactersAreEscapedInMessages() {
    // The key contains an escape sequence of a terminal and a line end. Without escapes, it would forge a line of output.
    let found = faults(replacing: [4: "\"\\e[31m\\nsmall.yaml:1: all is well\": 1"])
    // The two faults are an unknown field and the missing tempo, which the key has replaced.
    #expect(found.allSatisfy { !$0.contains("\u{1b}") && !$0.contains("\n") } && found.count == 2)
  }
}

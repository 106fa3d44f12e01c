import Testing

@testable import tutti

/// Tests of ``EscapeSequence``: which octets after an Escape belong to a key without a character, such as an arrow key.
@Suite struct EscapeSequenceTests {
  /// Each argument contains the octets that arrive after an Escape, and how many of them belong to the escape sequence. A sequence
  /// that begins with `[` ends with the next octet outside 0x20...0x3F. In the last argument, this octet is another Escape. A sequence that
  /// begins with `O`, or with `[[` (Linux console), has one further octet.
  @Test(arguments: [
    ("", 0), ("[", 1), ("[A", 2), ("[Aq", 2), ("[15~", 4), ("[1;5C", 5), ("[3~ ", 3), ("OP", 2), ("O", 1), ("OPq", 2),
    ("[[A", 3), ("[[AA", 3), ("q", 0), (" [", 0), ("\u{1B}", 0), ("[\u{1B}", 2),
  ])
  func sequenceEndsWithItsLastOctet(octets: String, length: Int) {
    #expect(EscapeSequence.length(after: Array(octets.utf8)[...]) == length, "\(octets)")
  }
}

import Testing

@testable import Engine
@testable import PeerProtocol

/// Tests of the passkey of a group, and of the key that is derived from it.
@Suite struct PasskeyTests {
  private func key(_ text: String) throws -> [UInt8] { try #require(Passkey(text)).groupKey().octets }

  /// The expected key was computed with `hashlib.scrypt` of Python.
  @Test func keyEqualsTheKeyOfAnotherImplementation() throws {
    let expected: [UInt8] = [
      0x47, 0xf4, 0xb8, 0x62, 0x40, 0x43, 0x09, 0x1a, 0x40, 0x15, 0xcd, 0xd3, 0xa4, 0x03, 0xf6, 0xd4,
      0x55, 0xbf, 0xd9, 0xfe, 0x05, 0xf4, 0x50, 0x33, 0x00, 0x09, 0x5b, 0x2c, 0x2b, 0xe0, 0xd2, 0xd2,
    ]
    #expect(try key("correct horse battery") == expected)
    #expect(try key("correct horse batterz") != expected)
  }

  /// Spaces and newlines at the ends, such as the newline of a text file, do not change the key. Neither do the two encodings of the
  /// letter é in Unicode.
  @Test func sameTextGivesTheSameKey() throws {
    #expect(try key("caf\u{E9} und musik 7") == key(" cafe\u{301} und musik 7\n"))
  }

  /// If a key is printed by mistake, for example in a log line, the text does not contain the octets of the key. The first octet is 0x47,
  /// or 71 (``keyEqualsTheKeyOfAnotherImplementation()``).
  @Test func textOfAKeyDoesNotContainTheKey() throws {
    let key = try #require(Passkey("correct horse battery")).groupKey()
    #expect("\(key)" == "key of a group" && !"\([key])".contains("71"))
  }

  @Test func textWithoutCharactersIsNoPasskey() {
    #expect(Passkey("") == nil && Passkey(" \n") == nil)
  }

  /// A short passkey can be guessed, because an attacker who has recorded one handshake can test any number of guesses.
  @Test(arguments: [(15, true), (16, false)]) func passkeyOfFewerThan16CharactersIsShort(length: Int, isShort: Bool) {
    #expect(Passkey(String(repeating: "x", count: length))?.isShort == isShort)
  }

  /// A random passkey has 20 characters of base32, which have 100 bits.
  @Test func randomPasskeysHave100Bits() {
    let passkeys = (0..<1000).map { _ in Passkey.random() }
    #expect(Set(passkeys).count == 1000 && passkeys.allSatisfy { $0.count == 20 })
    #expect(Set(passkeys.joined()) == Set("abcdefghijklmnopqrstuvwxyz234567"))
  }
}

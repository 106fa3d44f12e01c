import Testing

@testable import Engine
@testable import PeerProtocol

/// Tests of the passkey of a group, and of the key that is derived from it.
@Suite struct PasskeyTests {
  /// Whether two keys are equal. A key cannot be read, so the function compares the proofs of a handshake with each key.
  private func areEqual(_ first: GroupKey, _ second: GroupKey) throws -> Bool {
    let hello = HandshakePacket(.hello, ssrc: 1, identity: 2, nonce: .init(high: 3, low: 4))
    let answer = HandshakePacket(.answer, ssrc: 5, identity: 6, nonce: .init(high: 7, low: 8))
    let proofs = try [first, second].map { key in
      try #require(Handshake(key, initiator: hello, answerer: answer, token: 9)).proof(of: .initiator)
    }
    return proofs[0] == proofs[1]
  }

  private func key(_ text: String) throws -> GroupKey { try #require(Passkey(text)).groupKey() }

  /// The expected key was computed with `hashlib.scrypt` of Python.
  @Test func keyEqualsTheKeyOfAnotherImplementation() throws {
    let expected: [UInt8] = [
      0x47, 0xf4, 0xb8, 0x62, 0x40, 0x43, 0x09, 0x1a, 0x40, 0x15, 0xcd, 0xd3, 0xa4, 0x03, 0xf6, 0xd4,
      0x55, 0xbf, 0xd9, 0xfe, 0x05, 0xf4, 0x50, 0x33, 0x00, 0x09, 0x5b, 0x2c, 0x2b, 0xe0, 0xd2, 0xd2,
    ]
    #expect(try areEqual(key("correct horse battery"), GroupKey(expected)))
    #expect(try !areEqual(key("correct horse batterz"), GroupKey(expected)))
  }

  /// Spaces and newlines at the ends, such as the newline of a text file, do not change the key. Neither do the two encodings of the
  /// letter é in Unicode.
  @Test func sameTextGivesTheSameKey() throws {
    #expect(try areEqual(key("caf\u{E9} und musik 7"), key(" cafe\u{301} und musik 7\n")))
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

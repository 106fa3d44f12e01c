import PeerProtocol
import Testing

/// Tests of the text form of an identity.
@Suite struct IdentityTests {
  @Test func descriptionIsReadBack() {
    for bits in [0, 1, 0xDEAD_BEEF, UInt64.max] {
      #expect(Identity(Identity(bits).description) == Identity(bits))
    }
    // The text must have exactly 16 hexadecimal digits. A sign is no digit.
    for text in ["", "0", "00000000000000000", "zzzzzzzzzzzzzzzz", "+000000000000001"] {
      #expect(Identity(text) == nil)
    }
  }
}

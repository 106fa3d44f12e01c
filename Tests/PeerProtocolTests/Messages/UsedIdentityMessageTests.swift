import PeerProtocol
import Testing

/// Tests of the encoding of ``UsedIdentity``, by which a peer learns that another machine uses the same identity.
@Suite struct UsedIdentityMessageTests {
  @Test func layoutIsAsDocumented() {
    let message = UsedIdentity(Identity(0x8899_AABB_CCDD_EEFF))
    // After the first row, the first byte of each row contains the top bits of the octets after it, the top bit of the first octet in
    // bit 6.
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x04,  // non-commercial use; 'T'; version 3; kind 4, used identity
      0x7F, 0x08, 0x19, 0x2A, 0x3B, 0x4C, 0x5D, 0x6E,  // identity, 1 to 7: 88 99 AA BB CC DD EE
      0x40, 0x7F,  // identity, 8: FF
    ]
    #expect(message.systemExclusive == expected && UsedIdentity(systemExclusive: expected) == message)
    for n in expected.indices { #expect(UsedIdentity(systemExclusive: Array(expected[..<n])) == nil) }
    #expect(UsedIdentity(systemExclusive: expected + [0]) == UsedIdentity(systemExclusive: expected))
  }
}

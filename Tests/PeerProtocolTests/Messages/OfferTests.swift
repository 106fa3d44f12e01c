import PeerProtocol
import Testing

@Suite struct OfferTests {
  @Test func layoutIsAsDocumented() {
    let offer = Offer(claim: Claim(term: 1, identity: Identity(0x8899_AABB_CCDD_EEFF)), isParting: true)
    let expected: [UInt8] = [
      0x7D, 0x54, 0x01, 0x03,
      0x07, 0x00, 0x00, 0x00, 0x01, 0x08, 0x19, 0x2A,  // term; identity 88 99 AA
      0x7C, 0x3B, 0x4C, 0x5D, 0x6E, 0x7F, 0x01,  // BB CC DD EE FF; parting
    ]
    #expect(offer.systemExclusive == expected && Offer(systemExclusive: expected) == offer)
    for n in expected.indices {
      #expect(Offer(systemExclusive: Array(expected[..<n])) == nil)
      var bytes = expected
      bytes[n] = 0x80
      #expect(Offer(systemExclusive: bytes) == nil)
    }
    #expect(Offer(systemExclusive: expected + [0]) == nil)
    #expect(Offer(systemExclusive: expected.dropLast() + [2]) == nil)
  }
}

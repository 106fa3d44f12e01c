import PeerProtocol
import Testing

/// Tests of the encoding of ``Offer``, in which a master offers its role to other peers.
@Suite struct OfferTests {
  @Test func layoutIsAsDocumented() {
    let offer = Offer(claim: Claim(term: 1, identity: Identity(0x8899_AABB_CCDD_EEFF)), isParting: true)
    // After the first row, each row encodes up to seven octets. Its first byte contains the top bits of these octets, the top bit
    // of the first octet in bit 6. The comments give the octets after decoding.
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x03,  // non-commercial use; 'T'; version 3; kind 3, offer
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // term, 1 to 7: zeros
      0x3F, 0x01, 0x08, 0x19, 0x2A, 0x3B, 0x4C, 0x5D,  // term, 8: 01; identity, 1 to 6: 88 99 AA BB CC DD
      0x60, 0x6E, 0x7F, 0x01,  // identity, 7, 8: EE FF; the master is about to leave
    ]
    #expect(offer.systemExclusive == expected && Offer(systemExclusive: expected) == offer)
    // A truncated offer and an offer with a status byte are rejected, as are an additional byte and an unknown last octet.
    for n in expected.indices {
      #expect(Offer(systemExclusive: Array(expected[..<n])) == nil)
      var bytes = expected
      bytes[n] = 0x80
      #expect(Offer(systemExclusive: bytes) == nil)
    }
    #expect(Offer(systemExclusive: expected + [0]) == Offer(systemExclusive: expected))
    #expect(Offer(systemExclusive: expected.dropLast() + [2]) == nil)
  }

  /// The highest bit of the term shows that the claim is kept.
  @Test func keptClaimHasTheHighestBitOfTheTerm() {
    for term in [1, Claim.terms.upperBound] {
      let offer = Offer(claim: Claim(term: term, identity: Identity(5), isKept: true), isParting: true)
      // The first of the data octets contains the top bits of the next seven.
      #expect(offer.systemExclusive[4] & 0x40 != 0 && Offer(systemExclusive: offer.systemExclusive) == offer)
    }
    let withoutTerm = Offer(claim: Claim(term: 0, identity: Identity(5), isKept: true), isParting: true)
    #expect(Offer(systemExclusive: withoutTerm.systemExclusive) == nil)
  }
}

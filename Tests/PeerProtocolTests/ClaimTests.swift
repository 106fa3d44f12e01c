import PeerProtocol
import Testing

/// Tests of the order of claims to lead a rhythm.
@Suite struct ClaimTests {
  /// The greater claim wins: the one with the higher term, or with the lower identity if the terms are equal.
  @Test func claimsAreTotallyOrdered() {
    let sameTermLowerIdentity = Claim(term: 1, identity: Identity(1))
    let sameTermHigherIdentity = Claim(term: 1, identity: Identity(2))
    let later = Claim(term: 2, identity: Identity(9))
    #expect(
      sameTermHigherIdentity < sameTermLowerIdentity && sameTermLowerIdentity < later && sameTermHigherIdentity < later)
    #expect(!(sameTermLowerIdentity < sameTermLowerIdentity))
  }
}

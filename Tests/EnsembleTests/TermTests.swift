import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// The claims that count, and the terms of new claims.
@Suite struct TermTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let local = Identity(1)
  /// The remote peer, which is hostile in some tests.
  private let remote = Identity(2)
  private let other = Identity(3)

  private func makeState(ownTerm: UInt64 = 0) -> EnsembleState {
    var ensemble = EnsembleState(identity: local, ownTerm: ownTerm)
    for peer in [remote, other] { ensemble.joined(peer, at: now) }
    return ensemble
  }

  /// A message of a peer, the remote peer unless another one is given.
  private func message(_ term: UInt64, from peer: Identity? = nil, end: Tick = Tick(.max)) -> TimelineMessage {
    TimelineMessage(
      claim: Claim(term: term, identity: peer ?? remote), revision: 1, start: Tick(0), end: end,
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now)))
  }

  private func presence(of peer: Identity, _ claim: Claim?) -> Presence {
    Presence(identity: peer, claim: claim, channel: nil, gates: .all, takesOver: true)
  }

  private func warnings(of ensemble: inout EnsembleState) -> [Identity] {
    ensemble.takeOutputs().compactMap {
      if case .event(.warning(let peer, .claimHasExpired)) = $0 { peer } else { nil }
    }
  }

  /// A peer follows any possible term at once, also a new peer.
  @Test(arguments: [1, 1 << 20, 1 << 40, Claim.terms.upperBound]) func everyTermIsFollowedAtOnce(term: UInt64) {
    var ensemble = makeState()
    ensemble.received(message(term), from: remote, at: now)
    #expect(ensemble.role == .follower(of: remote) && ensemble.ownTerm == 0 && ensemble.rejected == 0)
  }

  /// The second argument is the term 0 of a kept claim.
  @Test(arguments: [0, UInt64(Int64.max) + 1]) func impossibleTermIsMalformed(term: UInt64) {
    var ensemble = makeState()
    ensemble.received(systemExclusive: message(term).systemExclusive, from: remote, at: now)
    let offer = Offer(claim: Claim(term: term, identity: remote), isParting: false)
    ensemble.received(systemExclusive: offer.systemExclusive, from: remote, at: now)
    let presence = presence(of: remote, Claim(term: term, identity: remote))
    ensemble.received(systemExclusive: presence.systemExclusive, from: remote, at: now)
    #expect(ensemble.role == .idle && ensemble.rejected == 3)
  }

  /// The remote peer leads with the highest term. A lower claim of another peer is followed when the remote peer was silent for 1.5 s,
  /// but not earlier. The claim that counts no longer is reported once.
  @Test func lowerClaimIsFollowedWhenTheHigherOneCountsNoLonger() {
    var ensemble = makeState()
    ensemble.received(message(Claim.terms.upperBound), from: remote, at: now)
    let early = now + EnsembleState.silence - .milliseconds(1)
    ensemble.received(message(7, from: other), from: other, at: early)
    #expect(ensemble.role == .follower(of: remote) && warnings(of: &ensemble) == [])
    ensemble.received(message(7, from: other), from: other, at: now + EnsembleState.silence)
    #expect(ensemble.role == .follower(of: other) && ensemble.claim == Claim(term: 7, identity: other))
    #expect(warnings(of: &ensemble) == [remote])
    // The remote peer returns, and disappears again.
    let later = now + .seconds(10)
    ensemble.received(message(Claim.terms.upperBound), from: remote, at: later)
    #expect(ensemble.role == .follower(of: remote))
    ensemble.received(message(7, from: other), from: other, at: later + EnsembleState.silence)
    #expect(ensemble.role == .follower(of: other) && warnings(of: &ensemble) == [])
  }

  /// The master reports that it is idle, but the end of its rhythm was lost. Its claim counts no longer, although the master is heard.
  @Test func claimThatItsMasterNoLongerReportsDoesNotCount() {
    var ensemble = makeState()
    ensemble.received(message(9), from: remote, at: now)
    ensemble.received(presence(of: remote, nil), from: remote, at: now)
    ensemble.received(message(7, from: other), from: other, at: now)
    #expect(ensemble.role == .follower(of: other))
  }

  /// The local peer is the master. A lower claim does not outrank its own, however long the others are silent.
  @Test func ownClaimCountsWhileTheLocalPeerLeads() throws {
    var ensemble = makeState(ownTerm: 50)
    try ensemble.start(tempo: .standard, at: now)
    ensemble.received(message(7), from: remote, at: now + .seconds(60))
    #expect(ensemble.role == .master && ensemble.claim == Claim(term: 51, identity: local))
  }

  /// A master tells a peer about its claim if the peer reports a higher claim that counts no longer.
  @Test func followerOfAnExpiredClaimGetsTheTimelineMessage() throws {
    var ensemble = makeState()
    try ensemble.start(tempo: .standard, at: now)
    _ = ensemble.takeOutputs()
    let lost = Claim(term: Claim.terms.upperBound, identity: Identity(9))
    ensemble.received(presence(of: other, lost), from: other, at: now + .seconds(1))
    let receivers = ensemble.takeOutputs().compactMap {
      if case .send(.timeline, to: .some(let peer), _) = $0 { peer } else { nil }
    }
    #expect(receivers == [other])
  }

  /// The text for the player depends on why another peer is the master now.
  @Test(arguments: [
    (Nanoseconds.milliseconds(50), OutrankingCause.simultaneousStart), (.seconds(5), .claim),
    (.seconds(5), .interruption),
  ])
  func causeOfTheLossOfLeadershipIsReported(after delay: Nanoseconds, cause: OutrankingCause) throws {
    var ensemble = makeState()
    try ensemble.start(tempo: .standard, at: now)
    // The remote peer is heard all the time, or not at all before its claim.
    for n in 1...50 where cause == .claim { ensemble.heard(remote, at: now + .milliseconds(100 * Int64(n))) }
    ensemble.received(message(99), from: remote, at: now + delay)
    #expect(reportedCauses(&ensemble) == [cause])
  }

  @Test func simultaneousTakeoverIsReported() {
    var ensemble = makeState()
    ensemble.received(message(9), from: remote, at: now)
    for n in Int64(1)...20 {
      let instant = now + .milliseconds(50 * n)
      for direction in [ClockTransit.Direction.out, .back] {
        let transit = ClockTransit(direction, sent: instant - .milliseconds(1), received: instant)
        ensemble.measured(transit, with: remote, at: instant)
      }
      ensemble.advance(to: instant)
    }
    let loss = now + .seconds(2)
    ensemble.left(remote, at: loss)
    ensemble.advance(to: loss)
    #expect(ensemble.role == .master)
    _ = ensemble.takeOutputs()
    ensemble.heard(other, at: loss)
    ensemble.received(message(99, from: other), from: other, at: loss + .milliseconds(100))
    #expect(ensemble.role == .follower(of: other) && reportedCauses(&ensemble) == [.simultaneousTakeover])
  }

  private func reportedCauses(_ ensemble: inout EnsembleState) -> [OutrankingCause] {
    ensemble.takeOutputs().compactMap { if case .event(.outranked(_, let cause)) = $0 { cause } else { nil } }
  }

  /// Terms of rhythms that the local peer follows are not its own: they end with their rhythm.
  @Test func termOfAnEndedRhythmDoesNotRaiseTheNextTerm() throws {
    var ensemble = makeState(ownTerm: 5)
    ensemble.received(message(1 << 40), from: remote, at: now)
    ensemble.received(presence(of: remote, nil), from: remote, at: now)
    ensemble.left(remote, at: now)
    ensemble.advance(to: now + .seconds(10))
    #expect(ensemble.role == .idle)
    try ensemble.start(tempo: .standard, at: now + .seconds(10))
    #expect(ensemble.claim == Claim(term: 6, identity: local))
  }

  /// The remote peer leads a rhythm that the local peer does not know yet. A claim of the local peer is above that claim, unless the
  /// rhythm gate is closed to the remote peer.
  @Test(arguments: [true, false]) func newTermIsAboveTheClaimsThatCount(isOpen: Bool) throws {
    var ensemble = makeState(ownTerm: 5)
    if !isOpen { ensemble.gates.set(.rhythm, open: false, for: remote.description) }
    ensemble.received(presence(of: remote, Claim(term: 80, identity: remote)), from: remote, at: now)
    // This claim does not count, because its master does not send it itself.
    ensemble.received(presence(of: other, Claim(term: 90, identity: Identity(9))), from: other, at: now)
    #expect(ensemble.newClaim(at: now) == Claim(term: isOpen ? 81 : 6, identity: local))
  }

  /// No term is left above that of the continued rhythm. The new term is a random one below 2^32.
  @Test func termAfterTheHighestOneIsRandom() throws {
    var terms: Set<UInt64> = []
    for n in Int64(1)...1000 {
      var ensemble = EnsembleState(identity: local)
      let claim = ensemble.newClaim(
        continuing: Claim(term: Claim.terms.upperBound, identity: remote), at: now + .milliseconds(n))
      #expect(claim.term > 0 && claim.term < 1 << 32 && ensemble.ownTerm == claim.term)
      terms.insert(claim.term)
      #expect(ensemble.newClaim(at: now).term == claim.term + 1)
    }
    #expect(terms.count == 1000)
  }

  /// The local peer has claimed term 900. After a loss of power, the disk contains only term 64. The remote peer, which is not
  /// hostile here, still reports the claim with term 900.
  @Test func claimAfterALossOfPowerIsNewerThanTheLastClaim() throws {
    var ensemble = makeState(ownTerm: 64)
    ensemble.received(presence(of: remote, Claim(term: 900, identity: local)), from: remote, at: now)
    #expect(ensemble.ownTerm == 64)
    try ensemble.start(tempo: .standard, at: now)
    #expect(ensemble.claim == Claim(term: 901, identity: local))
  }

  /// A hostile peer reports a claim of the local peer that the local peer has never made.
  @Test func falseReportOfAClaimDoesNotExhaustTheTerms() throws {
    var ensemble = makeState(ownTerm: 64)
    let claim = Claim(term: Claim.terms.upperBound, identity: local)
    ensemble.received(presence(of: remote, claim), from: remote, at: now)
    try ensemble.start(tempo: .standard, at: now)
    #expect(ensemble.role == .master && ensemble.claim!.term < 1 << 32)
  }
}

import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// The terms of hostile peers, and the term of a claim after a loss of power.
///
/// A peer follows a term only if the term is credible: at most 2^20 above its highest term, `EnsembleState.highestTerm`. Each refused
/// message raises this limit by another 2^20. When the peer follows a message, the limit is 2^20 again.
@Suite struct TermTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  /// The remote peer, which is hostile in most tests.
  private let remote = Identity(2)

  private func makeState(highestTerm: UInt64 = 0) -> EnsembleState {
    var ensemble = EnsembleState(identity: Identity(1), highestTerm: highestTerm)
    ensemble.joined(remote, at: now)
    return ensemble
  }

  /// A message of the remote peer.
  private func message(_ term: UInt64, end: Tick = Tick(.max)) -> TimelineMessage {
    TimelineMessage(
      claim: Claim(term: term, identity: remote), revision: 1, start: Tick(0), end: end,
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: now))
  }

  /// Each of 100 000 rhythms of the hostile peer has the highest credible term. Terms have 64 bits, so higher terms remain. With
  /// 32 bits, none would remain after 4096 rhythms.
  @Test func hostilePeerDoesNotExhaustTheTerms() throws {
    var ensemble = makeState()
    for n in UInt64(1)...100_000 {
      ensemble.received(message(n << 20), from: remote, at: now)
      #expect(ensemble.highestTerm == n << 20)
    }
    ensemble.left(remote, at: now)
    ensemble.advance(to: now + .seconds(10))
    // The local peer has taken over the last rhythm, or has become idle. In the second case, it starts a rhythm. In both cases, its
    // claim has the next term.
    #expect(ensemble.claim?.identity == Identity(1) || ensemble.role == .idle)
    if ensemble.role == .idle { try ensemble.start(tempo: .standard, at: now + .seconds(10)) }
    #expect(ensemble.claim == Claim(term: (100_000 << 20) + 1, identity: Identity(1)))
  }

  /// Each refused message makes 2^20 further terms credible. The hostile peer sends a thousand messages that are refused, then
  /// one that is followed. Afterwards, only 2^20 further terms are credible, as at first. Without this reset, each further rhythm
  /// could raise the highest term by about 2^30.
  @Test func followedTermResetsTheLimitThatRefusedTermsRaised() {
    var ensemble = makeState()
    for _ in 0..<1000 { ensemble.received(message(.max), from: remote, at: now) }
    #expect(ensemble.rejected == 1000 && ensemble.highestTerm == 0)
    // The limit is 2^20, and 2^20 for each of the thousand refused messages.
    let highest: UInt64 = 1001 << 20
    ensemble.received(message(highest), from: remote, at: now)
    #expect(ensemble.highestTerm == highest)
    ensemble.received(message(highest + (1 << 20) + 1), from: remote, at: now)
    #expect(ensemble.rejected == 1001 && ensemble.highestTerm == highest)
  }

  /// The hostile peer has ended each rhythm before its message arrives, so the local peer follows none of them.
  @Test func termOfARhythmThatIsNotFollowedDoesNotCount() {
    var ensemble = makeState(highestTerm: 5)
    // The clock of the hostile peer is known: it shows the local time, and the delay is 1 ms in both directions.
    for n in 1...100 {
      let received = now + .milliseconds(100 * Int64(n))
      for direction in [ClockTransit.Direction.out, .back] {
        let transit = ClockTransit(direction, sent: received - .milliseconds(1), received: received)
        ensemble.measured(transit, with: remote, at: received)
      }
    }
    for n in UInt64(1)...100 {
      ensemble.received(message(5 + n * 1000, end: Tick(0)), from: remote, at: now + .seconds(10))
    }
    #expect(ensemble.role == .idle && ensemble.rejected == 0 && ensemble.highestTerm == 5)
  }

  /// The terms of the ensemble are 2^24, or 16 * 2^20, ahead of a new peer. The new peer refuses the message 15 times. Then the
  /// limit is 16 * 2^20, and the peer follows. The remote peer is not hostile here.
  @Test func newPeerFollowsARhythmFarAheadAfterRepetitions() {
    var ensemble = makeState()
    for n in 1...16 {
      #expect(ensemble.role == .idle)
      ensemble.received(message(1 << 24), from: remote, at: now + .seconds(2 * Int64(n)))
    }
    #expect(ensemble.role == .follower(of: remote) && ensemble.highestTerm == 1 << 24 && ensemble.rejected == 15)
  }

  /// The local peer has claimed term 900. After a loss of power, the disk contains only term 64. The remote peer, which is not
  /// hostile here, still reports the claim with term 900.
  @Test func claimAfterALossOfPowerIsNewerThanTheLastClaim() throws {
    var ensemble = makeState(highestTerm: 64)
    let presence = Presence(
      identity: remote, claim: Claim(term: 900, identity: Identity(1)), channel: nil, gates: .all, takesOver: true)
    ensemble.received(presence, from: remote, at: now)
    #expect(ensemble.highestTerm == 64)
    try ensemble.start(tempo: .standard, at: now)
    #expect(ensemble.claim == Claim(term: 901, identity: Identity(1)))
  }

  /// A hostile peer reports a claim of the local peer that the local peer has never made.
  @Test func falseReportOfAClaimDoesNotExhaustTheTerms() throws {
    var ensemble = makeState(highestTerm: 64)
    let presence = Presence(
      identity: remote, claim: Claim(term: .max - 1, identity: Identity(1)), channel: nil, gates: .all, takesOver: true
    )
    ensemble.received(presence, from: remote, at: now)
    try ensemble.start(tempo: .standard, at: now)
    #expect(ensemble.claim == Claim(term: 65, identity: Identity(1)))
  }
}

import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// What a peer makes of levels and totals that come early, late or not at all.
@Suite struct ToldLevelTests {
  /// A master that has lost all that was told it of a level learns it from the next presence, and from that too who does not
  /// take part any more.
  @Test func aPresenceTellsTheLevel() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 1_000_000_000)
    let other = Identity(2)
    ensemble.joined(other, at: now)
    try ensemble.start(tempo: .standard, at: now)
    ensemble.advance(to: now)
    func presence(_ claim: Claim?) -> Presence {
      Presence(identity: other, claim: claim, channel: nil, gates: .all, takesOver: true, activity: 41)
    }
    #expect(ensemble.totalActivity(at: now) == 0)
    ensemble.received(presence(ensemble.claim), from: other, at: now)
    #expect(ensemble.totalActivity(at: now) == 41)
    ensemble.received(presence(nil), from: other, at: now)
    #expect(ensemble.totalActivity(at: now) == 0)
  }

  /// A total that comes before the rhythm can be played, and then another's rhythm: it counted in the first one's clock.
  @Test func aTotalOfAnotherMasterIsNotKept() {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 1_000_000_000)
    for n in [2, 3] as [UInt64] { ensemble.joined(Identity(n), at: now) }
    func timelineMessage(_ term: UInt32, of n: UInt64) -> TimelineMessage {
      TimelineMessage(
        claim: Claim(term: term, identity: Identity(n)), revision: 1, start: Tick(0), end: Tick(.max),
        timeline: Timeline(tempo: .standard, tick: Tick(0), at: now))
    }
    ensemble.received(timelineMessage(1, of: 2), from: Identity(2), at: now)
    let total = Message.controlChange(Channel(1)!, controller: 7, value: 99)
    _ = ensemble.received(total, at: now, isRecovered: false, from: Identity(2), now: now)
    #expect(ensemble.role == .follower(of: Identity(2)) && ensemble.follower?.totals.early.count == 1)
    ensemble.received(timelineMessage(2, of: 3), from: Identity(3), at: now)
    #expect(ensemble.role == .follower(of: Identity(3)) && ensemble.follower?.totals.early.isEmpty == true)
  }
}

import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// Levels whose messages were lost, and totals that arrive early.
@Suite struct ReportedLevelTests {
  /// A master that has lost all messages with the level of a peer learns the level from the next presence of the peer. The
  /// presence also reports that the peer no longer takes part in the rhythm.
  @Test func presenceReportsTheLevelToTheMaster() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 1_000_000_000)
    let follower = Identity(2)
    ensemble.joined(follower, at: now)
    try ensemble.start(tempo: .standard, at: now)
    ensemble.advance(to: now)
    func presence(_ claim: Claim?) -> Presence {
      Presence(identity: follower, claim: claim, channel: nil, gates: .all, takesOver: true, activity: 41)
    }
    #expect(ensemble.totalActivity(at: now) == 0)
    ensemble.received(presence(ensemble.claim), from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 41)
    ensemble.received(presence(nil), from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 0)
  }

  /// A total arrives before its rhythm can be played, and then the rhythm of another master arrives. The instant of the total
  /// is in the first master's clock, and means nothing in the second rhythm.
  @Test func earlyTotalIsDiscardedWhenTheMasterChanges() {
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
    #expect(ensemble.role == .follower(of: Identity(2)) && ensemble.follower?.totals.early.newer != nil)
    ensemble.received(timelineMessage(2, of: 3), from: Identity(3), at: now)
    #expect(ensemble.role == .follower(of: Identity(3)) && ensemble.follower?.totals.early.newer == nil)
  }
}

import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// Levels (the activity of one player) whose messages were lost, and totals (the total activity) that arrive early.
@Suite struct ReportedLevelTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let follower = Identity(2)

  /// A peer that has just started the rhythm. ``follower`` is in session.
  private func makeMaster() throws -> EnsembleState {
    var ensemble = EnsembleState(identity: Identity(1))
    ensemble.joined(follower, at: now)
    try ensemble.start(tempo: .standard, at: now)
    ensemble.advance(to: now)
    return ensemble
  }

  /// A master that has lost all messages with the level of a peer learns the level from the next presence of the peer. If the
  /// presence reports that the peer does not take part in the rhythm, the level does not count.
  @Test func presenceReportsTheLevelToTheMaster() throws {
    var ensemble = try makeMaster()
    /// A presence of the follower with level 41. `claim` belongs to the rhythm in which the follower takes part; nil
    /// for none.
    func presence(_ claim: Claim?) -> Presence {
      Presence(identity: follower, claim: claim, channel: nil, gates: .all, takesOver: true, activity: 41)
    }
    // The level of the master itself is 0.
    #expect(ensemble.totalActivity(at: now) == 0)
    ensemble.received(presence(ensemble.claim), from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 41)
    // The follower has left the rhythm.
    ensemble.received(presence(nil), from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 0)
  }

  /// A peer follows, sends its level by controller 11, and leaves the rhythm before it sends a presence with the claim. Its next
  /// presence reports that it does not take part, so its level does not count.
  @Test func levelOfAPeerThatLeavesBeforeItsFirstPresenceDoesNotCount() throws {
    var ensemble = try makeMaster()
    let level = Message.controlChange(Channel(1)!, controller: 11, value: 41)
    ensemble.received(level, at: now, isRecovered: false, from: follower, now: now)
    #expect(ensemble.totalActivity(at: now) == 41)
    let presence = Presence(
      identity: follower, claim: nil, channel: nil, gates: .all, takesOver: true, activity: 41)
    ensemble.received(presence, from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 0)
  }

  /// A follower receives a total from a first master before it can play the rhythm of this master. Then the follower receives the
  /// rhythm of a second master. The instant of the total is a time of the first master's clock and has no meaning in the second
  /// rhythm.
  @Test func earlyTotalIsDiscardedWhenTheMasterChanges() {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 1_000_000_000)
    for n in [2, 3] as [UInt64] { ensemble.joined(Identity(n), at: now) }
    func timelineMessage(_ term: UInt64, of n: UInt64) -> TimelineMessage {
      TimelineMessage(
        claim: Claim(term: term, identity: Identity(n)), revision: 1, start: Tick(0), end: Tick(.max),
        timeline: Timeline(tempo: .standard, tick: Tick(0), at: now))
    }
    ensemble.received(timelineMessage(1, of: 2), from: Identity(2), at: now)
    // Controller 7 on channel 1 contains the total.
    let total = Message.controlChange(Channel(1)!, controller: 7, value: 99)
    ensemble.received(total, at: now, isRecovered: false, from: Identity(2), now: now)
    // `early` contains the last two totals that arrived before the rhythm could be played.
    #expect(ensemble.role == .follower(of: Identity(2)) && ensemble.follower?.totals.early.newer != nil)
    ensemble.received(timelineMessage(2, of: 3), from: Identity(3), at: now)
    #expect(ensemble.role == .follower(of: Identity(3)) && ensemble.follower?.totals.early.newer == nil)
  }
}

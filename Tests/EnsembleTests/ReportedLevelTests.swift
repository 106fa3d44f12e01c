import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// Levels (the activity of one player) whose messages were lost.
@Suite struct ReportedLevelTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let follower = Identity(2)

  /// A peer that has just started the rhythm. ``follower`` is in session.
  private func makeMaster() throws -> EnsembleState {
    var ensemble = EnsembleState(identity: Identity(1), activity: 0)
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
    ensemble.received(level, from: follower)
    #expect(ensemble.totalActivity(at: now) == 41)
    let presence = Presence(
      identity: follower, claim: nil, channel: nil, gates: .all, takesOver: true, activity: 41)
    ensemble.received(presence, from: follower, at: now)
    #expect(ensemble.totalActivity(at: now) == 0)
  }
}

import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// A claim with a higher term whose rhythm has ended.
@Suite struct EndedClaimTests {
  private let rival = Identity(2)

  /// Returns a peer that has played for ten seconds, as the master, and the present instant. A rival is in session.
  private func makeMaster(knowsClockOfRival: Bool) throws -> (EnsembleState, Instant) {
    var ensemble = EnsembleState(identity: Identity(1))
    var now = Instant(nanoseconds: 100_000_000_000)
    ensemble.joined(rival, at: now)
    try ensemble.start(tempo: .standard, at: now)
    for _ in 0..<100 {
      now = now + .milliseconds(100)
      if knowsClockOfRival {
        // The clocks show the same time, and the delay is 1 ms in both directions.
        let sent = now - .milliseconds(1)
        ensemble.measured(ClockTransit(.out, sent: sent, received: now), with: rival, at: now)
        ensemble.measured(ClockTransit(.back, sent: sent, received: now), with: rival, at: now)
      } else {
        ensemble.heard(rival, at: now)
      }
      ensemble.advance(to: now)
    }
    return (ensemble, now)
  }

  /// The message of a rhythm that the rival started 20 s ago. Tick 240 was due 15 s ago.
  private func message(_ ensemble: EnsembleState, end: Tick, at now: Instant) -> TimelineMessage {
    TimelineMessage(
      claim: Claim(term: ensemble.ownTerm + 1, identity: rival), revision: 0, start: Tick(0), end: end,
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now - .seconds(20))))
  }

  /// The rhythm of the rival has ended, so it does not replace the rhythm that plays. If the clock of the rival is not known, the local
  /// peer cannot tell whether the rhythm has ended. The rhythm then has no effect either. `sends` is whether the local peer is the master
  /// and sends the clock.
  @Test(arguments: [true, false]) func endedRhythmWithAHigherTermDoesNotStopTheRhythm(knowsClockOfRival: Bool) throws {
    var (ensemble, now) = try makeMaster(knowsClockOfRival: knowsClockOfRival)
    ensemble.received(message(ensemble, end: Tick(240), at: now), from: rival, at: now)
    ensemble.advance(to: now + .milliseconds(10))
    #expect(ensemble.role == .master && ensemble.schedule.end == Tick(.max) && ensemble.schedule.sends)
  }

  /// The same message without an end outranks the rhythm. So the message of the previous test is rejected only because of its end.
  @Test func playingRhythmWithAHigherTermOutranksTheRhythm() throws {
    var (ensemble, now) = try makeMaster(knowsClockOfRival: true)
    ensemble.received(message(ensemble, end: Tick(.max), at: now), from: rival, at: now)
    #expect(ensemble.role == .follower(of: rival))
  }
}

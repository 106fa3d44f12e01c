import MusicalTime
import Testing

/// Tests of the clock difference that follows from one packet. The packet travels between the local instant `here` and the remote
/// instant `there`.
@Suite struct ClockTransitTests {
  private let here = Instant(nanoseconds: 1_000_000)
  private let there = Instant(nanoseconds: 5_003_000)

  @Test func bothDirectionsMapLocalAndRemoteInstants() {
    let out = ClockTransit(.out, sent: here, received: there)
    let back = ClockTransit(.back, sent: there, received: here)
    for transit in [out, back] {
      #expect(transit.local == here && transit.remote == there && transit.difference == Nanoseconds(4_003_000))
    }
  }

  /// The asymmetry is the delay of outgoing packets minus the delay of incoming packets.
  @Test func asymmetryIsSubtractedFromOutgoingTransitsOnly() {
    let out = ClockTransit(.out, sent: here, received: there).allowing(for: .microseconds(3))
    #expect(out.difference == .milliseconds(4) && out.local == here)
    let back = ClockTransit(.back, sent: there, received: here)
    #expect(back.allowing(for: .microseconds(3)) == back)
  }
}

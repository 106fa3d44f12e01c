import ClockSync
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// Tests of the clock of a member that is heard through another one.
@Suite struct RelayClockTests {
  private let now = Instant(nanoseconds: 10_000_000_000)

  private func relay(at instant: Int64, offset: Int64, skew: Double) -> Relay {
    Relay(
      member: Identity(2), hops: 1,
      clock: .init(
        instant: Instant(nanoseconds: instant), offset: Nanoseconds(offset), skew: skew, uncertainty: .microseconds(30))
    )
  }

  /// The clock of the relay is 5 s ahead, and that of the member 3 s ahead of it, 4 s ago, and gains 10 ppm: 40 us.
  @Test func offsetsSkewsAndErrorsAdd() throws {
    let forwarding = ClockEstimate(offset: .seconds(5), skew: 2, uncertainty: .microseconds(20))
    let estimate = try #require(
      relay(at: 11_000_000_000, offset: 3_000_000_000, skew: 10).estimate(forwarding, at: now))
    #expect(estimate.offset == .seconds(8) + .microseconds(40) && estimate.skew == 12)
    #expect(estimate.uncertainty == .microseconds(50))
    #expect(relay(at: 1, offset: 0, skew: 0).estimate(nil, at: now) == nil)
  }

  /// Values that a hostile peer can report do not overflow.
  @Test func impossibleClocksAreNotUsed() {
    let far = ClockEstimate(offset: Nanoseconds(1 << 62), uncertainty: .zero)
    #expect(relay(at: 1, offset: 1 << 62, skew: 1000).estimate(far, at: now) == nil)
    #expect(
      relay(at: -1 << 62, offset: 0, skew: 1000).estimate(ClockEstimate(offset: .zero, uncertainty: .zero), at: now)
        == nil)
  }
}

import ClockSync
import MusicalTime
import Testing
import _TestSupport

/// Tests of the conversion between two clocks, in both directions and at the limits of the numbers.
@Suite struct ClockLineTests {
  @Test(arguments: UInt64(1)...100) func roundTripIsExactToTwoNanoseconds(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let line = ClockLine(
      local: Instant(nanoseconds: random.integer(in: -1_000_000_000_000_000...1_000_000_000_000_000)),
      remote: Instant(nanoseconds: random.integer(in: -1_000_000_000_000_000...1_000_000_000_000_000)),
      skew: Double(random.integer(in: -10_000...10_000)))
    for _ in 0..<100 {
      let instant = line.local + Nanoseconds(random.integer(in: -1_000_000_000_000...1_000_000_000_000))
      let mapped = line.remote(at: instant)
      #expect((line.local(at: mapped) - instant).magnitude <= Nanoseconds(2))
      let exact = Double((instant - line.local).count) * (1 + line.skew / 1e6)
      #expect(abs(Double((mapped - line.remote).count) - exact) < 2)
      #expect(line.remote(at: instant + Nanoseconds(2)) > mapped)
    }
  }

  /// The smallest and the largest instant mean "never", so they map to themselves. A result above the range becomes the distant future.
  @Test func resultsOutOfRangeMeanNever() {
    // At the reference point, the remote clock is 5 ns before the end of its range, so later results are out of range.
    let line = ClockLine(local: Instant(nanoseconds: 5), remote: Instant(nanoseconds: .max - 5), skew: 100)
    #expect(line.local(at: .distantFuture) == .distantFuture && line.remote(at: .distantFuture) == .distantFuture)
    #expect(line.remote(at: Instant(nanoseconds: .max - 1)) == .distantFuture)
    #expect(line.local(at: Instant(nanoseconds: .min)) == Instant(nanoseconds: .min))
    #expect(ClockLine.identity.local(at: Instant(nanoseconds: 42)) == Instant(nanoseconds: 42))
  }
}

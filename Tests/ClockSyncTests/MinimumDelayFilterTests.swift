import Foundation
import Testing
import _TestSupport

@testable import ClockSync

/// Tests of the minimum-delay filter: the variance that it reports, and the packets that it keeps.
@Suite struct MinimumDelayFilterTests {
  /// For 15 s, 50 packets per second are sent in each direction. The delay has a lower bound of 1 ms and an exponentially
  /// distributed tail with a mean of 200 us. All outbound packets arrive. Returning packets arrive only within
  /// `timeOfPacketsBack`, in seconds. The true offset and the true skew are 0.
  ///
  /// The actual error is the root mean square of the skew over 40 seeds. The reported error is at least as large as the actual error, and
  /// at most ten times as large.
  @Test(arguments: [0.0...15, 10...15, 14...15, 0...5, 0...1]) func skewErrorIsWithinTheReportedVariance(
    timeOfPacketsBack: ClosedRange<Double>
  ) {
    // The sums of squares, in (nanoseconds per second) squared.
    var (actual, reported) = (0.0, 0.0)
    let count = 40
    let (fitTime, age) = (15.0, 100.0)
    for seed in UInt64(1)...UInt64(count) {
      var random = SplitMix(seed: seed)
      /// A delay in nanoseconds.
      func delay() -> Double { 1e6 - 2e5 * log(Double(random.integer(in: 1...1_000_000_000)) / 1e9) }
      var filter = MinimumDelayFilter()
      for n in 0..<750 {
        let time = Double(n) / 50
        // The difference of a packet is its remote instant minus its local instant. Because the true offset is 0, this is the delay of an
        // outbound packet, and minus the delay of a returning packet.
        filter.add(delay(), isOut: true, at: time)
        if timeOfPacketsBack.contains(time) { filter.add(-delay(), isOut: false, at: time + 0.001) }
      }
      let isFitted = filter.fit(at: fitTime)
      #expect(isFitted)
      actual += filter.skew * filter.skew
      // The variance of the skew follows from the growth of the variance of the offset. In the time `age`, the variance of the offset
      // grows by age squared times the variance of the skew, plus the square of `drift`. `drift` is the deviation of the offset if the
      // skew drifts by `skewDrift * span` during the window. Any age gives the same variance of the skew.
      let drift = MinimumDelayFilter.skewDrift * age * MinimumDelayFilter.span
      reported +=
        (filter.variance(at: fitTime + age) - filter.variance(at: fitTime) - drift * drift) / (age * age)
    }
    let (actualError, reportedError) = ((actual / Double(count)).squareRoot(), (reported / Double(count)).squareRoot())
    #expect(
      (actualError...10 * actualError).contains(reportedError), "error \(actualError) ns/s, reported \(reportedError)")
  }

  /// Of each eighth of a second, the filter keeps the extreme packets: those that bound the band between the outbound and the returning
  /// packets. At a skew of 500 000 ns per second, the clocks drift apart by 62 us in an eighth of a second. The delays are the same at
  /// every skew, so the same packets are extreme and the width of the band is the same.
  @Test(arguments: [-500_000.0, -200_000, 200_000, 500_000], UInt64(1)...3) func extremePacketIsTheSameAtEverySkew(
    skew: Double, seed: UInt64
  ) {
    /// Half the width of the band after 32 s with clocks of this skew, in nanoseconds.
    func halfWidth(skew: Double) -> Double {
      var random = SplitMix(seed: seed)
      /// A delay in nanoseconds.
      func delay() -> Double { 1e6 - 2e4 * log(Double(random.integer(in: 1...1_000_000_000)) / 1e9) }
      var filter = MinimumDelayFilter()
      // A window lasts 15 s. The filter estimates the skew in the first window. Only packets of the second window remain. The filter has
      // selected these packets with the estimated skew.
      for n in 0..<1600 {
        let time = Double(n) / 50
        filter.add(skew * time + delay(), isOut: true, at: time)
        filter.add(skew * (time + 0.001) - delay(), isOut: false, at: time + 0.001)
        if n % 10 == 9 { _ = filter.fit(at: time + 0.001) }
      }
      return filter.halfWidth
    }
    let (flat, steep) = (halfWidth(skew: 0), halfWidth(skew: skew))
    // Rounding causes a small difference. If the filter applied the skew with the wrong sign, the difference would be at least 40 ns.
    #expect(abs(steep - flat) < 5, "half width \(steep) ns instead of \(flat) ns")
  }
}

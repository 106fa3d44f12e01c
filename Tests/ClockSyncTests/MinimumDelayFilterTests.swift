import Foundation
import Testing
import _TestSupport

@testable import ClockSync

/// The accuracy of the variance that the minimum-delay filter reports.
@Suite struct MinimumDelayFilterTests {
  /// Delays with a lower bound of 1 ms and a mean tail of 200 us. One direction has packets for fifteen seconds, the
  /// other only within `heard`. The error of the slope is at most the reported one, and the reported error is at most
  /// ten times the actual one.
  @Test(arguments: [0.0...15, 10...15, 14...15, 0...5, 0...1]) func slopeErrorIsWithinTheReportedVariance(
    heard: ClosedRange<Double>
  ) {
    var (error, reported) = (0.0, 0.0)
    let count = 40
    for seed in UInt64(1)...UInt64(count) {
      var random = SplitMix(seed: seed)
      func delay() -> Double { 1e6 - 2e5 * log(Double(random.integer(in: 1...1_000_000_000)) / 1e9) }
      var filter = MinimumDelayFilter()
      for n in 0..<750 {
        let moment = Double(n) / 50
        filter.add(delay(), isOut: true, at: moment)
        if heard.contains(moment) { filter.add(-delay(), isOut: false, at: moment + 0.001) }
      }
      let isFitted = filter.fit(at: 15)
      #expect(isFitted)
      // The true skew is 0.
      error += filter.skew * filter.skew
      let bend = MinimumDelayFilter.skewDrift * 100 * MinimumDelayFilter.span
      reported += (filter.variance(at: 115) - filter.variance(at: 15) - bend * bend) / 10_000
    }
    let (actualError, reportedError) = ((error / Double(count)).squareRoot(), (reported / Double(count)).squareRoot())
    #expect(
      (actualError...10 * actualError).contains(reportedError), "error \(actualError) ns/s, reported \(reportedError)")
  }
}

import ClockSync
import Foundation
import MusicalTime
import Testing
import _TestSupport

/// The 99th percentile of delays.
@Suite struct DelayPercentileTests {
  /// A delay in microseconds with a log-normal distribution, as in a network with queues.
  private func delay(_ random: inout SplitMix, median: Double) -> Nanoseconds {
    let (a, b) = (Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
    let normal = (-2 * Foundation.log(1 - a)).squareRoot() * cos(2 * .pi * b)
    return Nanoseconds(Int64(median * exp(0.5 * normal) * 1000))
  }

  /// One delay in a hundred is longer than the percentile, within a third, in every network.
  @Test(arguments: [200.0, 5_000, 60_000]) func oneInAHundredIsLonger(median: Double) throws {
    var random = SplitMix(seed: UInt64(median))
    var percentile = DelayPercentile()
    #expect(percentile.value == nil)
    for _ in 0..<2000 { percentile.add(delay(&random, median: median)) }
    var longer = 0
    for _ in 0..<50_000 {
      let next = delay(&random, median: median)
      if next > (try #require(percentile.value)) { longer += 1 }
      percentile.add(next)
    }
    #expect((350...650).contains(longer), "\(longer) of 50 000")
  }

  /// The percentile follows a network that becomes ten times slower within 60 packets, and one that becomes faster within 1200.
  @Test func percentileFollowsTheNetwork() throws {
    var random = SplitMix(seed: 1)
    var percentile = DelayPercentile()
    for _ in 0..<2000 { percentile.add(delay(&random, median: 1_000)) }
    for _ in 0..<60 { percentile.add(delay(&random, median: 10_000)) }
    #expect(try #require(percentile.value) > .milliseconds(10))
    for _ in 0..<1200 { percentile.add(delay(&random, median: 1_000)) }
    #expect(try #require(percentile.value) < .milliseconds(5))
  }

  /// Delays out of range, from a clock that was wrong, leave a usable value.
  @Test func extremeDelaysAreLimited() throws {
    var percentile = DelayPercentile()
    for delay in [Int64.min, -1, 0, .max, .max] { percentile.add(Nanoseconds(delay)) }
    #expect(try #require(percentile.value) <= .seconds(10))
    for _ in 0..<10_000 { percentile.add(.zero) }
    #expect(try #require(percentile.value) == .microseconds(50))
  }
}

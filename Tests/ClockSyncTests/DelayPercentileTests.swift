import ClockSync
import Foundation
import MusicalTime
import Testing
import _TestSupport

/// Tests of the running estimate of the 99th percentile of packet delays.
@Suite struct DelayPercentileTests {
  /// Returns a random delay. The delays have a log-normal distribution, as in a network with queues. `median` is in
  /// microseconds.
  private func delay(_ random: inout SplitMix, median: Double) -> Nanoseconds {
    let (a, b) = (Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
    let normal = (-2 * Foundation.log(1 - a)).squareRoot() * cos(2 * .pi * b)
    return Nanoseconds(Int64(median * exp(0.5 * normal) * 1000))
  }

  /// Between 0.7 % and 1.3 % of the delays are longer than the estimate, whatever the median delay of the network is.
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

  /// The delays become ten times longer, and later short again. The 99th percentile is 3.2 times the median: 3.2 ms, 32 ms, and again
  /// 3.2 ms. After 60 packets with long delays, the estimate is above 10 ms. After 1200 packets with short delays, it is below 5 ms.
  @Test func percentileFollowsTheNetwork() throws {
    var random = SplitMix(seed: 1)
    var percentile = DelayPercentile()
    for _ in 0..<2000 { percentile.add(delay(&random, median: 1_000)) }
    for _ in 0..<60 { percentile.add(delay(&random, median: 10_000)) }
    #expect(try #require(percentile.value) > .milliseconds(10))
    for _ in 0..<1200 { percentile.add(delay(&random, median: 1_000)) }
    #expect(try #require(percentile.value) < .milliseconds(5))
  }

  /// Impossible delays, which result from a wrong clock, do not make the estimate unusable. The estimate is at least 50 us and at most
  /// 10 s.
  @Test func extremeDelaysAreLimited() throws {
    var percentile = DelayPercentile()
    for delay in [Int64.min, -1, 0, .max, .max] { percentile.add(Nanoseconds(delay)) }
    #expect(try #require(percentile.value) <= .seconds(10))
    for _ in 0..<10_000 { percentile.add(.zero) }
    #expect(try #require(percentile.value) == .microseconds(50))
  }
}

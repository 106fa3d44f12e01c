import Foundation
import Testing
import _TestSupport

@testable import Measurement

/// Tests of ``RunStatistic``: the median over runs and its bootstrap interval.
@Suite struct RunStatisticTests {
  /// The interval from the 2.5th to the 97.5th percentile of the medians of 20 000 random resamples. Medians and percentiles
  /// follow the nearest-rank method.
  private func resampled(_ values: [Double], seed: UInt64) -> (Double, Double) {
    var random = SplitMix(seed: seed)
    let medians = (0..<20_000).map { _ in
      let sample = values.map { _ in values[Int(random.integer(in: 0...Int64(values.count - 1)))] }.sorted()
      return sample[(values.count + 1) / 2 - 1]
    }.sorted()
    return (medians[499], medians[19_499])
  }

  /// The calculated interval agrees with the interval of random resampling. The ends of both intervals are values of runs. An end
  /// may differ by one rank, because 20 000 resamples give a probability with an error of 0.1 %.
  @Test(arguments: [5, 6, 9, 10, 21, 40]) func calculatedIntervalAgreesWithResampling(count: Int) throws {
    for seed in UInt64(1)...3 {
      let values = Clocks.gaussian(count, seed: seed &* 31).map { 1000 + 100 * $0 }
      let statistic = try #require(RunStatistic(values))
      let (low, high) = resampled(values, seed: seed)
      let interval = try #require(statistic.interval)
      let sorted = values.sorted()
      let ranks = [interval.lowerBound, interval.upperBound, low, high].map { sorted.firstIndex(of: $0)! }
      #expect(abs(ranks[0] - ranks[2]) <= 1 && abs(ranks[1] - ranks[3]) <= 1, "seed \(seed), \(ranks)")
      #expect(statistic.median == sorted[(count + 1) / 2 - 1] && statistic.runs == count)
    }
  }

  /// The interval contains the true median in about 95 % of 1000 samples. For small samples, the share differs a little, because the
  /// ends of the interval are always values of the sample.
  @Test(arguments: [7, 15, 31]) func intervalContainsTheTrueMedian(count: Int) throws {
    let covered = try (1...UInt64(1000)).count { seed in
      let statistic = try #require(RunStatistic(Clocks.gaussian(count, seed: seed &* 7919)))
      return try #require(statistic.interval).contains(0)
    }
    #expect((860...985).contains(covered), "\(covered) of 1000")
  }

  /// With four runs, even the interval from the smallest to the largest value would contain the true median with a probability of only
  /// 87.5 %. The median of four values is the second one (nearest-rank method).
  @Test func fewRunsHaveNoInterval() throws {
    #expect(RunStatistic([]) == nil)
    let four = try #require(RunStatistic([4, 1, 3, 2]))
    #expect(four.interval == nil && four.median == 2)
    #expect(try #require(RunStatistic([1, 2, 3, 4, 5])).interval == 1...5)
    #expect(try #require(RunStatistic([Double](repeating: 7, count: 1000))).interval == 7...7)
  }
}

import Foundation
import Testing
import _TestSupport

@testable import Measurement

/// Tests of ``RunStatistic``: the median over runs and its interval.
@Suite struct RunStatisticTests {
  /// The largest ranks whose interval contains the median with a probability of at least 95 %, from exact sums of binomial coefficients
  /// (`math.comb` of Python).
  @Test(arguments: [(5, 1), (6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (30, 10), (50, 18), (100, 40)])
  func endsOfTheIntervalHaveTheRanksOfTheSignTest(count: Int, rank: Int) throws {
    let statistic = try #require(RunStatistic((1...count).map(Double.init)))
    #expect(statistic.interval == Double(rank)...Double(count + 1 - rank))
    #expect(statistic.median == Double((count + 1) / 2) && statistic.runs == count)
  }

  /// The interval contains the true median in at least 95 % of the samples; with five runs, in 93.75 %. The share is larger for small
  /// samples, because the ends of the interval are always values of the sample. The standard deviation of the count is at most 8.
  @Test(arguments: [5, 6, 7, 10, 14, 15, 31]) func intervalContainsTheTrueMedian(count: Int) throws {
    let covered = try (1...UInt64(1000)).count { seed in
      let statistic = try #require(RunStatistic(Clocks.gaussian(count, seed: seed &* 7919)))
      return try #require(statistic.interval).contains(0)
    }
    #expect((920...1000).contains(covered), "\(covered) of 1000")
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

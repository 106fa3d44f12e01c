import Foundation

/// A figure over several runs of the rhythm, with one value per run: the median of these values, and its 95 % confidence interval. A run
/// is one playback of the rhythm, from a start to a stop.
///
/// Ticks of one run are not independent of each other, so an interval calculated from ticks would be far too narrow. The interval of the
/// median extends from the r-th smallest to the r-th largest value. It contains the true median unless fewer than r values are on one
/// side of it. The number of values on one side has the binomial distribution for n draws with the probability 1/2, whatever the
/// distribution of the values is (W. R. Thompson, Annals of Mathematical Statistics 7 (3), 1936). r is the largest rank for which the
/// probability is at least 95 %. With five runs, the interval contains all values, and the probability is 93.75 %. Values are in
/// nanoseconds. JSON contains microseconds.
public struct RunStatistic: Hashable, Sendable {
  /// The number of runs.
  public let runs: Int
  /// The median by the nearest-rank method.
  public let median: Double
  /// The 95 % confidence interval; nil with fewer than five runs, because it would be too narrow.
  public let interval: ClosedRange<Double>?

  /// The smallest number of runs for an interval. With four runs, even the interval from the smallest to the largest value
  /// would contain the true median with a probability of only 87.5 %.
  static let fewestRuns = 5

  /// Creates the figure from one value per run; nil if `values` is empty.
  ///
  /// Real-time: not safe.
  public init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    runs = sorted.count
    median = sorted[Distribution.rank(0.5, of: runs) - 1]
    guard runs >= Self.fewestRuns else {
      interval = nil
      return
    }
    let rank = Self.rank(of: runs)
    interval = sorted[rank - 1]...sorted[runs - rank]
  }

  /// Returns the largest rank r for which at least r of `n` values are on each side of the median with a probability of 95 %; at least 1.
  private static func rank(of n: Int) -> Int {
    // The probability that exactly k values are on one side, and that at most k values are. The first of them is 2^-n.
    var (k, each) = (0, exp2(-Double(n)))
    var sum = each
    while 2 * sum <= 0.05 {
      k += 1
      each *= Double(n - k + 1) / Double(k)
      sum += each
    }
    return max(k, 1)
  }

  /// The median with its interval as text, in microseconds with three decimal places.
  var text: String {
    let range = interval.map {
      " [\($0.lowerBound.microseconds), \($0.upperBound.microseconds)]"
    }
    return median.microseconds + (range ?? "")
  }
}

extension RunStatistic: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    runs = try container.decode(Int.self, forKey: "runs")
    median = try container.decode(Double.self, forKey: "median_us") * 1e3
    let low = try container.decodeIfPresent(Double.self, forKey: "low_us")
    let high = try container.decodeIfPresent(Double.self, forKey: "high_us")
    interval = if let low, let high, low <= high { low * 1e3...high * 1e3 } else { nil }
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "runs": runs, "median_us": median / 1e3, "low_us": (interval?.lowerBound).map { $0 / 1e3 },
      "high_us": (interval?.upperBound).map { $0 / 1e3 },
    ])
  }
}

import Foundation

/// A figure over several runs of the rhythm, with one value per run: the median of these values, and its 95 % bootstrap
/// confidence interval. A run is one playback of the rhythm, from a start to a stop.
///
/// Ticks of one run are not independent of each other, so an interval calculated from ticks would be far too narrow. The
/// bootstrap distribution of a median is calculated exactly and not by random resampling (B. Efron, "Bootstrap methods: another
/// look at the jackknife", Annals of Statistics 7 (1), 1979, section 3). A bootstrap sample consists of n draws, with replacement,
/// from the n sorted values. Its median is at most the k-th value if at least half of the draws are among the first k values. The
/// interval extends from the 2.5 % to the 97.5 % percentile of this distribution. Values are in nanoseconds. JSON contains
/// microseconds.
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
    let probabilities = (1...runs).map { Self.probability(ofRankAtMost: $0, of: sorted.count) }
    let low = probabilities.firstIndex { $0 >= 0.025 } ?? 0
    let high = probabilities.firstIndex { $0 >= 0.975 } ?? runs - 1
    interval = sorted[low]...sorted[high]
  }

  /// Returns the probability that the median of `n` draws, with replacement, from the ranks 1...n is at most `k`.
  private static func probability(ofRankAtMost k: Int, of n: Int) -> Double {
    guard k < n else { return 1 }
    let share = Double(k) / Double(n)
    var sum = 0.0
    for draws in Distribution.rank(0.5, of: n)...n {
      // The binomial probability, by logarithms because of the large factorials.
      let ways = lgamma(Double(n + 1)) - lgamma(Double(draws + 1)) - lgamma(Double(n - draws + 1))
      let each = Double(draws) * log(share) + Double(n - draws) * log(1 - share)
      sum += exp(ways + each)
    }
    return sum
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

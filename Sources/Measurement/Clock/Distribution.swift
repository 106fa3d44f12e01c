/// The exact summary of a distribution of durations in nanoseconds.
///
/// Percentiles are exact, by the nearest-rank method. The standard deviation is that of a sample: n - 1 in the
/// denominator; nil with one value. JSON contains microseconds.
public struct Distribution: Hashable, Sendable {
  /// The number of values, at least 1.
  public let count: Int
  /// The smallest value, median, 99 % percentile, 99.9 % percentile and largest value, nanoseconds.
  public let minimum, p50, p99, p999, maximum: Double
  /// The arithmetic mean in nanoseconds.
  public let mean: Double
  /// The standard deviation in nanoseconds; nil with one value.
  public let standardDeviation: Double?

  /// Creates the summary of `values`; nil without a value. Takes O(n log n), and no memory beyond `values`.
  ///
  /// Real-time: not safe.
  public init?(_ values: consuming [Double]) {
    guard !values.isEmpty else { return nil }
    values.sort()
    count = values.count
    let n = values.count
    // The next smaller number: 0.999 has no exact binary representation, and 0.999 of 1000 must be rank 999.
    func percentile(_ share: Double, _ values: borrowing [Double]) -> Double {
      values[min(max(Int((share.nextDown * Double(n)).rounded(.up)), 1), n) - 1]
    }
    (minimum, maximum) = (values[0], values[n - 1])
    p50 = percentile(0.5, values)
    p99 = percentile(0.99, values)
    p999 = percentile(0.999, values)
    // Deviations from the median, because the squares of the values themselves would lose digits.
    var (sum, squares) = (0.0, 0.0)
    for value in values {
      let deviation = value - p50
      sum += deviation
      squares += deviation * deviation
    }
    mean = p50 + sum / Double(n)
    standardDeviation = n > 1 ? (max(squares - sum * sum / Double(n), 0) / Double(n - 1)).squareRoot() : nil
  }

  /// The titles of ``row``.
  static let columns = ["count", "min", "p50", "p99", "p99.9", "max", "sd"]

  /// The values as text: microseconds with three decimal places.
  var row: [String] {
    ["\(count)"] + [minimum, p50, p99, p999, maximum, standardDeviation].map { $0.microseconds }
  }
}

extension Distribution: Encodable {
  private enum CodingKeys: String, CodingKey {
    case count
    case minimum = "min_us"
    case p50 = "p50_us"
    case p99 = "p99_us"
    case p999 = "p999_us"
    case maximum = "max_us"
    case mean = "mean_us"
    case standardDeviation = "sd_us"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    for (value, key) in [
      (minimum, CodingKeys.minimum), (p50, .p50), (p99, .p99), (p999, .p999), (maximum, .maximum), (mean, .mean),
    ] {
      try container.encode(value / 1e3, forKey: key)
    }
    try container.encodeIfPresent(standardDeviation.map { $0 / 1e3 }, forKey: .standardDeviation)
  }
}

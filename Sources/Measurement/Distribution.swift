import MusicalTime

/// The summary of a distribution of durations: count, extremes, percentiles, mean and standard deviation.
///
/// Percentiles are by the nearest-rank method. If the summary is created from numbers, all its values are exact. If it is
/// created from a ``SignedHistogram``, the percentiles have three significant digits and the other values are exact. The
/// properties are in nanoseconds. JSON contains microseconds.
///
/// Real-time: not safe.
public struct Distribution: Hashable, Sendable {
  /// The number of values, at least 1.
  public let count: Int
  /// The smallest value, the median, the 95 %, 99 % and 99.9 % percentiles and the largest value, in nanoseconds.
  public let minimum, p50, p95, p99, p999, maximum: Double
  /// The arithmetic mean in nanoseconds.
  public let mean: Double
  /// The standard deviation of a sample, with n - 1 in the denominator, in nanoseconds. Nil if there is only one value, or
  /// if the summary is created from a histogram alone.
  public let standardDeviation: Double?

  /// Creates the summary of `values` in nanoseconds; nil if there are none. The time is O(n log n). If the caller passes the only
  /// reference to `values`, the array is sorted in place and not copied.
  ///
  /// Real-time: not safe.
  public init?(_ values: consuming [Double]) {
    var values = values
    self.init(sorting: &values)
  }

  /// Creates the summary of `values` in nanoseconds and sorts them; nil if there are none.
  init?(sorting values: inout [Double]) {
    guard !values.isEmpty else { return nil }
    values.sort()
    let n = values.count
    let median = values[Self.rank(0.5, of: n) - 1]
    // The sums are over the deviations from the median, because sums over the values themselves would lose digits.
    var (sum, squares) = (0.0, 0.0)
    for value in values {
      let deviation = value - median
      sum += deviation
      squares += deviation * deviation
    }
    self.init(
      count: n, minimum: values[0], maximum: values[n - 1], mean: median + sum / Double(n),
      standardDeviation: n > 1 ? (max(squares - sum * sum / Double(n), 0) / Double(n - 1)).squareRoot() : nil
    ) { share in values[Self.rank(share, of: n) - 1] }
  }

  /// Creates the summary of the signed durations `lengths`; nil if there are none.
  ///
  /// Real-time: not safe.
  public init?(_ lengths: some Sequence<Nanoseconds>) { self.init(lengths.map { Double($0.count) }) }

  /// Creates the summary of `histogram`; nil if the histogram is empty. The error of a percentile is at most 0.1 % of its distance from
  /// the reference.
  ///
  /// - Parameters:
  ///   - histogram: each duration minus `reference`.
  ///   - reference: the reference in nanoseconds.
  ///   - standardDeviation: the standard deviation of the durations in nanoseconds; nil if it is unknown.
  ///
  /// Real-time: not safe.
  public init?(_ histogram: SignedHistogram, reference: Double = 0, standardDeviation: Double? = nil) {
    guard histogram.count > 0 else { return nil }
    self.init(
      count: histogram.count, minimum: Double(histogram.minimum.count) + reference,
      maximum: Double(histogram.maximum.count) + reference, mean: histogram.mean + reference,
      standardDeviation: standardDeviation
    ) { share in Double(histogram.percentile(share).count) + reference }
  }

  private init(
    count: Int, minimum: Double, maximum: Double, mean: Double, standardDeviation: Double?,
    percentile: (Double) -> Double
  ) {
    (self.count, self.minimum, self.maximum) = (count, minimum, maximum)
    (p50, p95, p99, p999) = (percentile(0.5), percentile(0.95), percentile(0.99), percentile(0.999))
    (self.mean, self.standardDeviation) = (mean, standardDeviation)
  }

  /// Returns the rank of a percentile among `count` sorted values, counted from 1, by the nearest-rank method. `share` is the
  /// percentile as a fraction, 0...1.
  static func rank(_ share: Double, of count: Int) -> Int {
    // The product of `share` and `count` can be rounded to slightly more than a whole number, which would give the next rank.
    // `nextDown` prevents this.
    min(max(Int((share.nextDown * Double(count)).rounded(.up)), 1), count)
  }

  /// The column titles of ``row``.
  public static let columns = ["count", "min", "p50", "p95", "p99", "p99.9", "max", "mean", "sd"]

  /// The cells of a row of a ``TextTable``, in the order of ``columns``. Times are in microseconds with three decimal places.
  public var row: [String] {
    ["\(count)"] + [minimum, p50, p95, p99, p999, maximum, mean, standardDeviation].map(\.microseconds)
  }
}

extension Distribution? {
  /// The cells of ``Distribution/row``. Without a distribution, the count is 0 and the other cells are dashes.
  public var row: [String] {
    self?.row ?? ["0"] + [String](repeating: "-", count: Distribution.columns.count - 1)
  }
}

extension Distribution: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    func time(_ name: MemberName) throws -> Double { try container.decode(Double.self, forKey: name) * 1e3 }
    count = try container.decode(Int.self, forKey: "count")
    (minimum, maximum, mean) = (try time("min_us"), try time("max_us"), try time("mean_us"))
    (p50, p95, p99, p999) = (try time("p50_us"), try time("p95_us"), try time("p99_us"), try time("p999_us"))
    standardDeviation = try container.decodeIfPresent(Double.self, forKey: "sd_us").map { $0 * 1e3 }
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "count": count, "min_us": minimum / 1e3, "p50_us": p50 / 1e3, "p95_us": p95 / 1e3, "p99_us": p99 / 1e3,
      "p999_us": p999 / 1e3, "max_us": maximum / 1e3, "mean_us": mean / 1e3,
      "sd_us": standardDeviation.map { $0 / 1e3 },
    ])
  }
}

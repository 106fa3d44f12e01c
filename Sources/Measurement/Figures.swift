import MusicalTime

/// The summary of a distribution of durations, as in cyclictest: count, minimum, median, 99 % and 99.9 % percentile,
/// maximum; in addition the mean.
///
/// Minimum, maximum and count are exact, and the mean is rounded to whole nanoseconds. Percentiles have three
/// significant digits (``SignedHistogram``). In an empty distribution all values are 0; its text shows dashes. JSON
/// contains microseconds under the keys `count`, `min_us`, `p50_us`, `p99_us`, `p999_us`, `max_us` and `mean_us`.
public struct Figures: Hashable, Sendable {
  /// The number of durations.
  public let count: Int
  /// The smallest duration.
  public let minimum: Nanoseconds
  /// The median.
  public let p50: Nanoseconds
  /// The 99 % percentile.
  public let p99: Nanoseconds
  /// The 99.9 % percentile.
  public let p999: Nanoseconds
  /// The largest duration.
  public let maximum: Nanoseconds
  /// The mean, rounded toward zero.
  public let mean: Nanoseconds

  /// Creates the summary of `histogram`.
  ///
  /// Real-time: not safe.
  public init(_ histogram: SignedHistogram) {
    count = histogram.count
    minimum = histogram.minimum
    p50 = histogram.percentile(0.5)
    p99 = histogram.percentile(0.99)
    p999 = histogram.percentile(0.999)
    maximum = histogram.maximum
    mean = histogram.mean
  }

  /// Creates the summary of `lengths` with their signs.
  ///
  /// Real-time: not safe.
  public init(signed lengths: some Sequence<Nanoseconds>) {
    var histogram = SignedHistogram()
    for length in lengths { histogram.record(length) }
    self.init(histogram)
  }

  /// Creates the summary of the absolute values of `lengths`.
  ///
  /// Real-time: not safe.
  public init(absolute lengths: some Sequence<Nanoseconds>) {
    var histogram = SignedHistogram()
    for length in lengths { histogram.record(Nanoseconds(length.count == .min ? .max : length.magnitude.count)) }
    self.init(histogram)
  }

  /// The cells of ``row`` by name.
  enum Column: Int { case count, minimum, p50, p99, p999, maximum, mean }

  /// The text of one cell of ``row``.
  func text(_ column: Column) -> String { row[column.rawValue] }

  /// The column titles for ``row``.
  public static let columns = ["count", "min", "p50", "p99", "p99.9", "max", "mean"]

  /// The values as text, in the order of ``columns``: microseconds with one decimal place, or dashes if the
  /// distribution is empty.
  public var row: [String] {
    ["\(count)"] + [minimum, p50, p99, p999, maximum, mean].map { count == 0 ? "-" : $0.microsecondsText }
  }
}

extension Figures: Codable {
  private enum CodingKeys: String, CodingKey {
    case count
    case minimum = "min_us"
    case p50 = "p50_us"
    case p99 = "p99_us"
    case p999 = "p999_us"
    case maximum = "max_us"
    case mean = "mean_us"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    count = try container.decode(Int.self, forKey: .count)
    minimum = try container.decodeMicroseconds(forKey: .minimum)
    p50 = try container.decodeMicroseconds(forKey: .p50)
    p99 = try container.decodeMicroseconds(forKey: .p99)
    p999 = try container.decodeMicroseconds(forKey: .p999)
    maximum = try container.decodeMicroseconds(forKey: .maximum)
    mean = try container.decodeMicroseconds(forKey: .mean)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(minimum.microseconds, forKey: .minimum)
    try container.encode(p50.microseconds, forKey: .p50)
    try container.encode(p99.microseconds, forKey: .p99)
    try container.encode(p999.microseconds, forKey: .p999)
    try container.encode(maximum.microseconds, forKey: .maximum)
    try container.encode(mean.microseconds, forKey: .mean)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a number of microseconds, rounded to whole nanoseconds.
  func decodeMicroseconds(forKey key: Key) throws -> Nanoseconds {
    guard let count = Int64(exactly: (try decode(Double.self, forKey: key) * 1e3).rounded()) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "more than 292 years")
    }
    return Nanoseconds(count)
  }
}

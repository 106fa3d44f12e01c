import MusicalTime

/// What cyclictest's users say of a distribution: count, minimum, median, 99 and 99.9 in a hundred, maximum; and the
/// mean.
///
/// Minimum, maximum, mean and count are exact to the nanosecond, percentiles to three significant digits
/// (``SignedHistogram``). An empty distribution has a count of 0 and zeros, which its text shows as dashes. JSON has
/// microseconds, and says so: `count`, `min_us`, `p50_us`, `p99_us`, `p999_us`, `max_us`, `mean_us`.
public struct Figures: Hashable, Sendable {
  public let count: Int
  public let minimum: Nanoseconds
  /// The median.
  public let p50: Nanoseconds
  public let p99: Nanoseconds
  /// 99.9 %.
  public let p999: Nanoseconds
  public let maximum: Nanoseconds
  public let mean: Nanoseconds

  /// The figures of `histogram`.
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

  /// The figures of `lengths` with their signs: early is less than zero.
  ///
  /// Real-time: not safe.
  public init(signed lengths: some Sequence<Nanoseconds>) {
    var histogram = SignedHistogram()
    for length in lengths { histogram.record(length) }
    self.init(histogram)
  }

  /// The figures of the magnitudes of `lengths`.
  ///
  /// Real-time: not safe.
  public init(absolute lengths: some Sequence<Nanoseconds>) {
    var histogram = SignedHistogram()
    for length in lengths { histogram.record(Nanoseconds(length.count == .min ? .max : length.magnitude.count)) }
    self.init(histogram)
  }

  /// What the columns of ``row`` hold.
  public static let columns = ["count", "min", "p50", "p99", "p99.9", "max", "mean"]

  /// The figures as text, in the order of ``columns``: microseconds with one decimal place, dashes when there is
  /// nothing.
  public var row: [String] {
    ["\(count)"] + [minimum, p50, p99, p999, maximum, mean].map { count == 0 ? "-" : $0.tenthsOfMicroseconds }
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
  /// A length written in microseconds, to the nanosecond.
  func decodeMicroseconds(forKey key: Key) throws -> Nanoseconds {
    guard let count = Int64(exactly: (try decode(Double.self, forKey: key) * 1e3).rounded()) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "beyond 292 years")
    }
    return Nanoseconds(count)
  }
}

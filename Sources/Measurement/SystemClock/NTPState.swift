import MusicalTime

/// The state of the system clock of a machine: whether NTP synchronizes it, and how the kernel corrects it (adjtimex(2)).
public struct NTPState: Hashable, Sendable {
  /// Whether the kernel considers the system clock synchronized.
  public var isSynchronized: Bool
  /// The part of the offset of the system clock that the kernel has not yet corrected.
  public var offset: Nanoseconds
  /// The correction of the rate in parts per million. It also applies to CLOCK_MONOTONIC.
  public var frequency: Double
  /// The error of the system clock as the NTP daemon estimates it, and the upper bound of this error.
  public var estimatedError, maximumError: Nanoseconds

  /// Creates a state.
  ///
  /// Real-time: not safe.
  public init(
    isSynchronized: Bool, offset: Nanoseconds, frequency: Double, estimatedError: Nanoseconds, maximumError: Nanoseconds
  ) {
    (self.isSynchronized, self.offset, self.frequency) = (isSynchronized, offset, frequency)
    (self.estimatedError, self.maximumError) = (estimatedError, maximumError)
  }

  /// The state in one line. The errors of a clock that is not synchronized have no meaning.
  var text: String {
    let correction = "offset \(offset.count) ns, frequency \(frequency.fixed(3)) ppm"
    guard isSynchronized else { return "not synchronized, \(correction)" }
    return "synchronized, \(correction), estimated error \(estimatedError.count / 1000) us, "
      + "maximum error \(maximumError.count / 1000) us"
  }
}

extension NTPState: Codable {
  private enum CodingKeys: String, CodingKey {
    case isSynchronized = "synchronized"
    case offset = "offset_ns"
    case frequency = "frequency_ppm"
    case estimatedError = "estimated_error_us"
    case maximumError = "maximum_error_us"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isSynchronized = try container.decode(Bool.self, forKey: .isSynchronized)
    offset = Nanoseconds(try container.decode(Int64.self, forKey: .offset))
    frequency = try container.decode(Double.self, forKey: .frequency)
    func microseconds(_ key: CodingKeys) throws -> Nanoseconds {
      let value = try container.decode(Int64.self, forKey: key)
      guard value.magnitude < 1 << 50 else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "more than 35 years")
      }
      return .microseconds(value)
    }
    (estimatedError, maximumError) = (try microseconds(.estimatedError), try microseconds(.maximumError))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isSynchronized, forKey: .isSynchronized)
    try container.encode(offset.count, forKey: .offset)
    try container.encode(frequency, forKey: .frequency)
    try container.encode(estimatedError.count / 1000, forKey: .estimatedError)
    try container.encode(maximumError.count / 1000, forKey: .maximumError)
  }
}

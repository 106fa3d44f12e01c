import MusicalTime

/// The state and the rate of the machine's clocks during a live measurement, for the provenance of its figures.
public struct SystemClock: Hashable, Sendable, Codable {
  /// The state of NTP before and after the measurement.
  public var ntpBefore, ntpAfter: NTPState
  /// The rate of CLOCK_MONOTONIC relative to CLOCK_MONOTONIC_RAW, minus 1, and its largest possible error, in parts per million.
  /// Nil with fewer than two readings.
  public var rate, rateUncertainty: Double?
  /// Notes about changes of the clocks during the measurement, each in one line.
  public var notes: [String] = []

  /// The smallest change of the frequency correction that is reported, in parts per million. A change of 0.001 ppm is 1 us in
  /// 1000 s.
  private static let frequencyLimit = 0.001

  private enum CodingKeys: String, CodingKey {
    case ntpBefore = "ntp_before"
    case ntpAfter = "ntp_after"
    case rate = "monotonic_rate_ppm"
    case rateUncertainty = "monotonic_rate_uncertainty_ppm"
    case notes
  }

  /// Creates the summary of a measurement.
  ///
  /// Real-time: not safe.
  public init(before: NTPState, after: NTPState, rate: ClockRate) {
    (ntpBefore, ntpAfter) = (before, after)
    (self.rate, rateUncertainty) = (rate.partsPerMillion?.value, rate.partsPerMillion?.uncertainty)
    if abs(after.frequency - before.frequency) >= Self.frequencyLimit {
      let (old, new) = (before.frequency.fixed(3), after.frequency.fixed(3))
      notes.append("NTP changed the rate of CLOCK_MONOTONIC during the measurement: from \(old) to \(new) ppm")
    }
    if rate.excursion > 0 {
      notes.append(
        "CLOCK_MONOTONIC was slewed during the measurement: its greatest deviation from a clock of "
          + "constant rate was \(rate.excursion.microseconds) us or more")
    }
    if before.isSynchronized != after.isSynchronized {
      notes.append("NTP \(after.isSynchronized ? "gained" : "lost") synchronization during the measurement")
    }
  }

  /// The clocks as text. Each line has the form `name: value`.
  var lines: [String] {
    var lines = ["NTP: \(ntpAfter.text)"]
    if let rate, let rateUncertainty {
      lines.append(
        "CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW: \(rate.fixed(4)) ppm +- \(rateUncertainty.fixed(4)) ppm")
    }
    return lines + notes.map { "note: \($0)" }
  }
}

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
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    isSynchronized = try container.decode(Bool.self, forKey: "synchronized")
    offset = Nanoseconds(try container.decode(Int64.self, forKey: "offset_ns"))
    frequency = try container.decode(Double.self, forKey: "frequency_ppm")
    func microseconds(_ key: MemberName) throws -> Nanoseconds {
      let value = try container.decode(Int64.self, forKey: key)
      guard value.magnitude < 1 << 50 else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "more than 35 years")
      }
      return .microseconds(value)
    }
    (estimatedError, maximumError) = (try microseconds("estimated_error_us"), try microseconds("maximum_error_us"))
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "synchronized": isSynchronized, "offset_ns": offset.count, "frequency_ppm": frequency,
      "estimated_error_us": estimatedError.count / 1000, "maximum_error_us": maximumError.count / 1000,
    ])
  }
}

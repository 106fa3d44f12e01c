import MusicalTime

/// Compares the rate of CLOCK_MONOTONIC, which NTP slews, with that of CLOCK_MONOTONIC_RAW, which has the rate of the
/// oscillator.
///
/// Real-time: not safe.
public struct ClockRate: Sendable {
  /// One comparison of the two clocks, in nanoseconds. `difference` is CLOCK_MONOTONIC minus CLOCK_MONOTONIC_RAW, relative to
  /// the first comparison. `uncertainty` is the largest possible error of the difference.
  private struct Sample {
    var raw: Int64
    var difference: Int64
    var uncertainty: Int64
  }

  private var samples: [Sample] = []
  /// The difference of the clocks at the first comparison, in nanoseconds.
  private var origin: Int64 = 0
  /// The largest number of comparisons. If there are more, every second comparison is discarded.
  private static let capacity = 4096
  /// The largest deviation, in nanoseconds, that does not count as a change of the rate. The kernel approximates a rate by
  /// alternating between two integer multipliers, so small deviations occur even if the rate is constant.
  private static let resolution = 50.0

  /// Creates an instance without readings.
  ///
  /// Real-time: not safe.
  public init() {}

  /// Adds one reading of each clock, taken at the same time.
  ///
  /// - Parameters:
  ///   - monotonic: CLOCK_MONOTONIC.
  ///   - raw: CLOCK_MONOTONIC_RAW in nanoseconds.
  ///   - uncertainty: the largest possible error of the difference of the readings.
  ///
  /// Real-time: not safe.
  public mutating func add(monotonic: Instant, raw: Int64, uncertainty: Nanoseconds) {
    let difference = monotonic.nanoseconds - raw
    if samples.isEmpty { origin = difference }
    samples.append(Sample(raw: raw, difference: difference - origin, uncertainty: uncertainty.count))
    guard samples.count > Self.capacity else { return }
    // The number of samples is odd here, so the first and the newest sample remain.
    samples = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  /// The rate of CLOCK_MONOTONIC relative to CLOCK_MONOTONIC_RAW, minus 1, and its largest possible error, in parts per million;
  /// nil with fewer than two readings.
  public var partsPerMillion: (value: Double, uncertainty: Double)? {
    guard let first = samples.first, let last = samples.last, last.raw > first.raw else { return nil }
    let duration = Double(last.raw - first.raw)
    return (
      Double(last.difference - first.difference) / duration * 1e6,
      Double(first.uncertainty + last.uncertainty) / duration * 1e6
    )
  }

  /// The time from the first to the last reading, in seconds.
  public var seconds: Double {
    guard let first = samples.first, let last = samples.last else { return 0 }
    return Double(last.raw - first.raw) / 1e9
  }

  /// The largest deviation of a reading from the line through the first and the last reading, minus the deviation that errors of
  /// the readings can explain, in nanoseconds. 0 if errors can explain all deviations. Otherwise the rate was not constant.
  public var excursion: Double {
    guard let first = samples.first, let last = samples.last, last.raw > first.raw else { return 0 }
    let slope = Double(last.difference - first.difference) / Double(last.raw - first.raw)
    // The possible error of the line: the larger uncertainty of the two readings that the line connects, plus the resolution.
    let lineError = Double(max(first.uncertainty, last.uncertainty)) + Self.resolution
    return samples.reduce(0) { largest, sample in
      let expected = Double(first.difference) + slope * Double(sample.raw - first.raw)
      return max(largest, abs(Double(sample.difference) - expected) - lineError - Double(sample.uncertainty))
    }
  }
}

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
        "CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW: \(rate.fixed(4)) ppm +- "
          + "\(rateUncertainty.fixed(4)) ppm")
    }
    return lines + notes.map { "note: \($0)" }
  }
}

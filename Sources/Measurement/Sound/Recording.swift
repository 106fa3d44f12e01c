import MusicalTime

/// A recording of one peer: one channel of samples, and the instant of the first sample.
public struct Recording: Sendable {
  /// The name of the recording, shown in reports.
  public var name: String
  /// The samples of one channel, full scale 1.
  public var samples: [Float]
  /// The sample rate in frames per second.
  public var rate: Int
  /// The instant at which the first frame sounded, by the clock of the recording peer.
  public var firstInstant: Instant

  /// Creates a recording.
  ///
  /// Real-time: not safe.
  public init(name: String, samples: [Float], rate: Int, firstInstant: Instant) {
    (self.name, self.samples, self.rate, self.firstInstant) = (name, samples, rate, firstInstant)
  }

  /// Returns the instant at which `frame` sounded, rounded to the nearest nanosecond. ``rate`` must be positive.
  func instant(of frame: Int) -> Instant {
    let (seconds, frames) = frame.quotientAndRemainder(dividingBy: rate)
    // `frames` is less than `rate`, which is at most 384 000 (AudioReport.rates), so the product fits into 64 bits.
    let rest = (frames * 1_000_000_000 + rate / 2) / rate
    return firstInstant + .seconds(Int64(seconds)) + Nanoseconds(Int64(rest))
  }
}

import MusicalTime

/// The sound of one peer: one channel of samples, and when the first of them sounded.
public struct Recording: Sendable {
  public var name: String
  /// Full scale 1, one channel.
  public var samples: [Float]
  /// Frames a second.
  public var rate: Int
  /// When the first frame sounded, in the clock of the peer that recorded it.
  public var firstInstant: Instant

  /// Real-time: not safe.
  public init(name: String, samples: [Float], rate: Int, firstInstant: Instant) {
    (self.name, self.samples, self.rate, self.firstInstant) = (name, samples, rate, firstInstant)
  }

  /// When `frame` sounded, to the nearest nanosecond. The rate is above zero.
  func instant(of frame: Int) -> Instant {
    let (seconds, frames) = frame.quotientAndRemainder(dividingBy: rate)
    // A second has at most 384 000 frames (AudioReport), so this product fits.
    let rest = (frames * 1_000_000_000 + rate / 2) / rate
    return firstInstant + .seconds(Int64(seconds)) + Nanoseconds(Int64(rest))
  }
}

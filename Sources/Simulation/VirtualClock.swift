import MusicalTime

/// A local clock with an offset and a skew relative to true time. The conversions use exact integers and are monotonic in both
/// directions. They are valid for instants since the last suspension of the machine.
struct VirtualClock: Sendable, BitwiseCopyable {
  /// The local time at true time 0.
  private(set) var ahead: Nanoseconds
  /// The skew: the nanoseconds that the clock gains per second of true time; 1000 correspond to 1 ppm. Less than 10^9.
  let gain: Int64

  init(ahead: Nanoseconds, gain: Int64) { (self.ahead, self.gain) = (ahead, gain) }

  /// Sets the clock back by `duration` of true time, for which the machine was suspended. The clock stood still meanwhile, like
  /// CLOCK_MONOTONIC.
  mutating func suspended(for duration: Nanoseconds) { ahead = ahead - duration }

  /// The local time at `instant` of true time.
  func local(at instant: Instant) -> Instant {
    let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return instant + Nanoseconds(ahead.count + seconds * gain + rest * gain / 1_000_000_000)
  }

  /// The first instant of true time, not before 0, at which the local time is `instant` or later.
  func truth(at instant: Instant) -> Instant {
    let beginning = Instant(nanoseconds: 0)
    guard instant > local(at: beginning) else { return beginning }
    // An instant decades ahead counts as the distant future, so that the arithmetic below does not overflow.
    guard instant < Instant(nanoseconds: 1 << 61) else { return .distantFuture }
    let shown = (instant - ahead).nanoseconds
    let (seconds, rest) = shown.quotientAndRemainder(dividingBy: 1_000_000_000 + gain)
    var truth = Instant(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / (1_000_000_000 + gain))
    // The divisions round: the exact instant may be a few nanoseconds later or earlier.
    while local(at: truth) < instant { truth = truth + Nanoseconds(1) }
    while local(at: truth - Nanoseconds(1)) >= instant { truth = truth - Nanoseconds(1) }
    return truth
  }
}

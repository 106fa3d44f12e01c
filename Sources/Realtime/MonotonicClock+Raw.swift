import CRealtime
public import MusicalTime

extension MonotonicClock {
  /// The number of attempts of ``compareWithRaw()``.
  private static let attempts = 16

  /// Reads CLOCK_MONOTONIC between two readings of CLOCK_MONOTONIC_RAW. Of several attempts, the one with the shortest time between
  /// the two readings counts.
  ///
  /// - Returns: CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW in the middle of its two readings, in nanoseconds; half of the time between
  ///   them, which is the largest possible error of the comparison.
  ///
  /// Real-time: not safe.
  public static func compareWithRaw() -> (monotonic: Instant, raw: Int64, uncertainty: Nanoseconds) {
    var best: (monotonic: Instant, raw: Int64, uncertainty: Nanoseconds)?
    for _ in 0..<attempts {
      let (before, now, after) = (realtime_raw_clock(), realtime_now(), realtime_raw_clock())
      let uncertainty = Nanoseconds((after - before + 1) / 2)
      if let best, best.uncertainty <= uncertainty { continue }
      best = (Instant(nanoseconds: now), before + (after - before) / 2, uncertainty)
    }
    return best!
  }
}

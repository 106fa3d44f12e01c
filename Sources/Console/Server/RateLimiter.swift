import MusicalTime

/// A token bucket: `burst` events at once, and `rate` events per second in the long run.
struct RateLimiter {
  /// The largest number of tokens in the bucket.
  private let burst: Double
  /// The number of tokens that are added per second.
  private let rate: Double
  /// The number of tokens in the bucket at the instant ``last``. Each event takes one.
  private var available: Double
  private var last: Instant

  init(rate: Double, burst: Double, at now: Instant) {
    (self.rate, self.burst, available, last) = (rate, burst, burst, now)
  }

  /// Counts an event at `now`. Returns whether it is within the limit.
  mutating func admit(at now: Instant) -> Bool {
    available = min(burst, available + max(0, (now - last).seconds) * rate)
    last = now
    guard available >= 1 else { return false }
    available -= 1
    return true
  }
}

import MusicalTime

/// A token bucket: `burst` events at once, and `rate` events per second in the long run.
struct RateLimiter {
  private let burst: Double
  private let rate: Double
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

import MusicalTime

/// Limits the number of wrong join tokens per IP address: ``burst`` at once, and one per ``interval`` in the long run.
///
/// At most ``maximumAddresses`` addresses are stored. A further address replaces the address with the oldest
/// ``Failures/at``.
///
/// Real-time: not safe.
struct AttemptLimiter {
  static let burst = 5
  static let interval = Nanoseconds.seconds(5)
  static let maximumAddresses = 256

  private struct Failures {
    /// The number of wrong tokens at the instant ``at``, without those that were forgiven. One wrong token is forgiven per
    /// ``interval``.
    var count: Int
    /// When a wrong token was last counted or forgiven.
    var at: Instant
  }

  private var failures: [String: Failures] = [:]

  /// Whether a further wrong token from `address` is within the limit at `now`.
  mutating func admits(_ address: String, at now: Instant) -> Bool {
    guard var entry = failures[address] else { return true }
    let forgiven = (now - entry.at).count / Self.interval.count
    if forgiven > 0 {
      entry.count = max(0, entry.count - Int(min(forgiven, Int64(Self.burst))))
      entry.at = now
      failures[address] = entry.count > 0 ? entry : nil
    }
    return entry.count < Self.burst
  }

  /// Counts a wrong token from `address`.
  mutating func fail(_ address: String, at now: Instant) {
    if failures[address] == nil, failures.count >= Self.maximumAddresses,
      let oldest = failures.min(by: { $0.value.at < $1.value.at })
    {
      failures[oldest.key] = nil
    }
    failures[address] = Failures(count: min((failures[address]?.count ?? 0) + 1, Self.burst), at: now)
  }
}

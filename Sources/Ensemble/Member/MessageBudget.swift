public import MusicalTime

/// How many messages may pass in a time: a bucket that holds ``depth`` of them and is filled at ``rate``. Unless it is
/// told otherwise, for MIDI: a cable carries a thousand three-octet messages a second; twice that is more than anybody
/// plays, and what exceeds it is a flood that must not reach the clock thread.
public struct MessageBudget: Sendable {
  /// Messages a second.
  private let rate: Int64
  private let depth: Int64

  /// Messages that did not pass.
  public private(set) var refused: Int64 = 0
  /// When the bucket was, or will be, full: each message takes its share of a second, which time gives back.
  private var full = Instant(nanoseconds: .min)

  /// - Parameters:
  ///   - rate: messages a second, at least one.
  ///   - depth: so many at once, at least one.
  public init(rate: Int64 = 2000, depth: Int64 = 512) { (self.rate, self.depth) = (rate, depth) }

  /// Whether one more may pass at `now`.
  public mutating func admit(at now: Instant) -> Bool {
    let share = Nanoseconds(1_000_000_000 / rate)
    let start = max(full, now)
    guard start - now <= Nanoseconds(share.count * (depth - 1)) else {
      refused += 1
      return false
    }
    full = start + share
    return true
  }
}

import MusicalTime

/// How many messages may pass in a time: a bucket that holds ``depth`` of them and is filled at ``rate``. A MIDI cable
/// carries a thousand three-octet messages a second; twice that is more than anybody plays, and what exceeds it is a
/// flood that must not reach the clock thread.
struct MessageBudget {
  /// Messages a second.
  static let rate: Int64 = 2000
  static let depth: Int64 = 512

  /// Messages that did not pass.
  private(set) var refused: Int64 = 0
  /// When the bucket was, or will be, full: each message takes its share of a second, which time gives back.
  private var full = Instant(nanoseconds: .min)

  /// Whether one more may pass at `now`.
  mutating func admit(at now: Instant) -> Bool {
    let share = Nanoseconds(1_000_000_000 / Self.rate)
    let start = max(full, now)
    guard start - now <= Nanoseconds(share.count * (Self.depth - 1)) else {
      refused += 1
      return false
    }
    full = start + share
    return true
  }
}

import MusicalTime

/// Rejects send instants of a peer whose clock stands still or runs backwards.
///
/// A packet can be overtaken, so its send instant need not be the newest. But a send instant that is behind the newest by more
/// than a second of delay, measured by the arrivals, comes from a clock that stands still or runs backwards. Such a clock is
/// not followed. A clock that was set back once continues from its new time: among the instants that are behind, the fourth in
/// a row of increasing instants is accepted.
struct SendInstantFilter: BitwiseCopyable {
  private static let longestDelay = Nanoseconds.seconds(1)
  private static let requiredIncreases = 3

  private var newest: (local: Instant, remote: Instant)?
  /// The last rejected instant, and how many rejected instants in a row were later than the one before.
  private var rejected: Instant?
  private var increases = 0

  /// Returns whether the send instant `remote` of a packet that arrived at `local` may be used.
  mutating func accept(_ remote: Instant, at local: Instant) -> Bool {
    if let newest, case let step = remote - newest.remote, step <= .zero {
      let lateness = (local - newest.local) - step
      guard lateness > Self.longestDelay || lateness < .zero else { return true }
      increases = rejected.map { remote - $0 > .zero } == true ? increases + 1 : 0
      rejected = remote
      guard increases >= Self.requiredIncreases else { return false }
    }
    newest = (local, remote)
    (rejected, increases) = (nil, 0)
    return true
  }
}

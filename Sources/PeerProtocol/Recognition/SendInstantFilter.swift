import MusicalTime

/// Rejects send instants of a peer whose clock stands still or runs backwards.
///
/// A packet can overtake another packet. The overtaken packet then arrives with a send instant that is earlier than the newest
/// send instant, because the overtaken packet had a longer delay. If the difference of the delays would be more than one second,
/// the packet was not overtaken: the remote clock stands still or runs backwards. The send instant is then rejected.
///
/// A clock that was set back once continues from its new time. Therefore an instant is accepted nevertheless if the last three
/// rejected instants and this one increase. Instants of overtaken packets do not count.
struct SendInstantFilter: BitwiseCopyable {
  /// The largest accepted additional delay of a packet that was overtaken.
  private static let longestDelay = Nanoseconds.seconds(1)
  /// The number of increases in a row, from one rejected instant to the next, after which an instant is accepted nevertheless.
  private static let requiredIncreases = 3

  /// The newest accepted send instant (remote) and the arrival of its packet (local).
  private var newest: (local: Instant, remote: Instant)?
  /// The last rejected instant; nil if ``newest`` has changed since.
  private var rejected: Instant?
  /// How many rejected instants in a row were later than the rejected instant before them.
  private var increases = 0

  /// Returns whether the send instant `remote` of a packet that arrived at `local` may be used.
  mutating func accept(_ remote: Instant, at local: Instant) -> Bool {
    if let newest, case let step = remote - newest.remote, step <= .zero {
      // The delay of this packet minus the delay of the packet with the newest send instant. Negative if it overflows.
      let additionalDelay = (local - newest.local) - step
      guard additionalDelay > Self.longestDelay || additionalDelay < .zero else { return true }
      increases = rejected.map { remote - $0 > .zero } == true ? increases + 1 : 0
      rejected = remote
      guard increases >= Self.requiredIncreases else { return false }
    }
    newest = (local, remote)
    (rejected, increases) = (nil, 0)
    return true
  }
}

import MusicalTime

/// Looks whether the send instants of one peer go on as a clock does.
///
/// On its way a packet may be overtaken, so an instant need not be the newest; but one that lies behind the newest by
/// more than a second of delay, as its arrival tells, comes from a clock that stands still or runs backwards. Such a
/// clock is not followed. One that was set back once goes on from where it is: of instants that lie behind, the fourth that
/// is later than the one before it counts again.
struct SendInstants: BitwiseCopyable {
  private static let longestDelay = Nanoseconds.seconds(1)
  private static let agreementsBelieved = 3

  private var newest: (own: Instant, remote: Instant)?
  /// The last that lay behind, and how many in a row were later than the one before.
  private var doubted: Instant?
  private var agreements = 0

  /// Takes the instant `remote` of a packet that arrived at `own`; whether it may be used.
  mutating func admit(_ remote: Instant, at own: Instant) -> Bool {
    if let newest, case let step = remote - newest.remote, step <= .zero {
      let lateness = (own - newest.own) - step
      guard lateness > Self.longestDelay || lateness < .zero else { return true }
      agreements = doubted.map { remote - $0 > .zero } == true ? agreements + 1 : 0
      doubted = remote
      guard agreements >= Self.agreementsBelieved else { return false }
    }
    newest = (own, remote)
    (doubted, agreements) = (nil, 0)
    return true
  }
}

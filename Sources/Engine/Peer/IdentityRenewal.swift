import MusicalTime

/// Decides whether the local peer takes a new identity when a remote peer reports that a second machine uses the identity of the local
/// peer.
///
/// Any peer in session can send the report. Therefore only a peer that has just started takes a new identity, only once, and not as the
/// master. Without these limits, a hostile peer could make the local peer restart again and again.
struct IdentityRenewal {
  /// What the local peer does about a report: take a new identity, inform the player, or nothing.
  enum Decision { case renew, inform, ignore }

  /// How long after its start a peer may take a new identity.
  static var time: Nanoseconds { .seconds(30) }

  private let startedAt: Instant
  /// Whether the peer may take a new identity. False if the peer has taken one before.
  private let isPermitted: Bool
  /// Whether a report has arrived before. Later reports are ignored.
  private var hasReport = false

  init(startedAt: Instant, isPermitted: Bool) { (self.startedAt, self.isPermitted) = (startedAt, isPermitted) }

  /// Evaluates a report that has arrived at `now`.
  mutating func report(isMaster: Bool, at now: Instant) -> Decision {
    guard !hasReport else { return .ignore }
    hasReport = true
    return isPermitted && !isMaster && now - startedAt < Self.time ? .renew : .inform
  }
}

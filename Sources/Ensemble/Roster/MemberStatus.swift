public import ClockSync
public import MusicalTime
public import PeerProtocol

/// The data about a remote Tutti peer in session that a status display shows.
public struct MemberStatus: Sendable {
  /// See ``PeerReference/name``.
  public var name: String?
  public var identity: Identity
  /// Whether the peer is the master of the rhythm that the local peer plays.
  public var isMaster: Bool
  /// Whether the peer is the master, or is known to play the current rhythm. Only the master knows whether a follower
  /// plays.
  public var takesPart: Bool
  /// Whether the local peer, as the master, has muted the player of this peer.
  public var isMuted: Bool
  /// Whether this peer asks the local peer, as the master, to offer it the rhythm.
  public var asks = false
  /// The activity of the player of this peer, 0...127; nil if the peer has reported none to the local peer. Peers report the activity
  /// to the master only.
  public var activity: UInt8?
  /// The estimate of the peer's clock; nil while it is not precise enough.
  public var clock: ClockEstimate?
}

extension EnsembleState {
  /// The remote Tutti peers in session: first the master, then by ascending identity, at most `limit`.
  ///
  /// Real-time: not safe.
  public func memberStatuses(limit: Int, at now: Instant) -> [MemberStatus] {
    let master = role == .idle ? nil : claim?.identity
    let ordered = roster.members.filter { $0.identity == master } + roster.members.filter { $0.identity != master }
    return ordered.prefix(limit).map { member in
      var row = roster[member.slot]
      return MemberStatus(
        name: row.reference.name, identity: member.identity, isMaster: member.identity == master,
        takesPart: member.identity == master || row.membership?.takesPart == true,
        isMuted: mutedPlayers.contains(member.identity), asks: isAsked(by: member.slot),
        activity: row.membership?.level,
        clock: row.estimate(at: now))
    }
  }
}

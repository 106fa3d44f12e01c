import MusicalTime

/// The rules by which an ``Endpoint`` supervises an established session.
public struct Supervision: Hashable, Sendable, BitwiseCopyable {
  /// The silence after which the endpoint invites the peer again (a *revival*). The session is lost after twice this time,
  /// but not before five seconds.
  public var silenceLimit: Nanoseconds
  /// Whether the peer supervises the session by the same rules. If it does,
  ///
  /// - either side revives the session; otherwise only the initiator does,
  /// - invitations of a revival are half of ``silenceLimit`` apart; otherwise 1 s,
  /// - a lost session ends without BY, because the peer revives the session by itself and would understand BY as the end,
  /// - BY is sent on the control port; otherwise on both ports, because some implementations require that.
  public var isMutual: Bool

  public init(silenceLimit: Nanoseconds, isMutual: Bool) {
    (self.silenceLimit, self.isMutual) = (silenceLimit, isMutual)
  }

  /// The rules for a standard device: revival after 30 s, which is three CK0 without a reply; lost after 60 s.
  public static var standard: Supervision { Supervision(silenceLimit: .seconds(30), isMutual: false) }

  /// The silence after which the session is lost.
  var lossLimit: Nanoseconds { max(.seconds(5), Nanoseconds(2 * silenceLimit.count)) }

  /// Half of ``silenceLimit``.
  var halfLimit: Nanoseconds { Nanoseconds(silenceLimit.count / 2) }
}

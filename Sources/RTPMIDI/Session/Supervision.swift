import MusicalTime

/// The rules by which an ``Endpoint`` supervises an established session.
public struct Supervision: Hashable, Sendable, BitwiseCopyable {
  /// The silence after which the endpoint invites the peer again (a *revival*). The session is lost after twice this
  /// time, but not before five seconds.
  public var silenceLimit: Nanoseconds
  /// Whether the peer supervises the session by the same rules.
  ///
  /// - If true, either side revives the session. If false, only the initiator does.
  /// - If true, the invitations of a revival are half of ``silenceLimit`` apart. If false, they are 1 s apart.
  /// - If true, a lost session ends without BY, because the peer revives the session by itself and would understand BY
  ///   as the end. If false, BY is sent.
  /// - If true, BY is sent on the control port only. If false, it is sent on both ports, because some implementations
  ///   require that.
  public var isMutual: Bool

  public init(silenceLimit: Nanoseconds, isMutual: Bool) {
    (self.silenceLimit, self.isMutual) = (silenceLimit, isMutual)
  }

  /// The rules for a standard device. A revival starts after 30 s of silence, which corresponds to three CK0 without a
  /// reply. The session is lost after 60 s.
  ///
  /// Real-time: not safe.
  public static var standard: Supervision { Supervision(silenceLimit: .seconds(30), isMutual: false) }

  /// The silence after which the session is lost.
  var lossLimit: Nanoseconds { max(.seconds(5), Nanoseconds(2 * silenceLimit.count)) }

  /// Half of ``silenceLimit``.
  var halfLimit: Nanoseconds { Nanoseconds(silenceLimit.count / 2) }
}

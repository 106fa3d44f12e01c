/// Why an ``Endpoint`` declines an invitation.
public enum DeclineReason: Hashable, Sendable {
  /// ``Endpoint/admits`` does not permit the session.
  case isNotAdmitted
  /// The host of the peer has ``Endpoint/sessionsPerHost`` sessions already.
  case hostIsFull
  /// The peer has not given its proof within five seconds. The peer must prove that it receives at its address. In a
  /// protected session, it must instead give the proof that the ``ProtocolExtension`` demands.
  case isUnverified
  /// The mark of the peer differs from the local one: see ``ProtocolExtension/mark``. `isMarked` is whether the peer has a mark.
  case hasOtherMark(isMarked: Bool)
}

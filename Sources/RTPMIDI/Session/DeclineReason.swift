/// Why an ``Endpoint`` declines an invitation.
public enum DeclineReason: Hashable, Sendable {
  /// ``Endpoint/admits`` does not permit the session.
  case isNotAdmitted
  /// The host of the peer has ``Endpoint/sessionsPerHost`` sessions already.
  case hostIsFull
  /// The peer has not proved within five seconds that it receives at its address; in a protected session, what the extension
  /// demands.
  case isUnverified
  /// The mark of the peer differs from the local one: see ``ProtocolExtension/mark``. `isMarked` is whether the peer has a mark.
  case hasOtherMark(isMarked: Bool)
}

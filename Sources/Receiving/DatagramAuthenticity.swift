/// Whether a datagram is authentic: the result of ``Receiver/authenticate(_:_:from:port:)``.
public enum DatagramAuthenticity: Sendable, BitwiseCopyable {
  /// The datagram belongs to no session with a passkey.
  case unprotected
  /// The source of the datagram is in a session with a passkey. The datagram needs no tag, because it is of a kind that
  /// can begin a new session, such as an invitation.
  case beginning
  /// The datagram has a valid tag. Its first `count` octets are the content.
  case authentic(count: Int)
  /// The datagram must be dropped: its session has a passkey, and the tag is missing, wrong, repeated, or too old.
  case refused
}

public import PeerProtocol

/// The role of the local peer in the rhythm.
///
/// Real-time: not safe.
public enum Role: Hashable, Sendable, CustomStringConvertible {
  /// No rhythm plays.
  case idle
  /// The local peer sends the clock.
  case master
  /// The peer with this identity sends the clock.
  case follower(of: Identity)

  /// The master that the local peer follows; nil if it follows none.
  public var master: Identity? { if case .follower(let master) = self { master } else { nil } }

  public var description: String {
    switch self {
    case .idle: "idle"
    case .master: "master"
    case .follower: "follower"
    }
  }
}

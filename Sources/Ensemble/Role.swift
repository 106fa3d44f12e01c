public import PeerProtocol

/// What a peer is to the rhythm.
public enum Role: Hashable, Sendable, CustomStringConvertible {
  /// Nobody plays.
  case idle
  /// This peer gives the clock.
  case master
  /// The peer with this identity does.
  case follower(of: Identity)

  /// Whom it follows, if anyone.
  public var master: Identity? { if case .follower(let master) = self { master } else { nil } }

  public var description: String {
    switch self {
    case .idle: "idle"
    case .master: "master"
    case .follower: "follower"
    }
  }
}

public import Ensemble
public import MusicalTime
public import Transports

/// Something that came about between this peer and others, for whoever watches it.
public struct PeerEvent: Sendable {
  public enum Kind: Sendable {
    /// The peer is in session, and known to be a Tutti peer or none.
    case joined
    /// Its session is over.
    case left
  }

  public let kind: Kind
  /// What the peer calls itself; nil when it does not say.
  public let name: String?
  /// Where its control port is.
  public let address: SocketAddress
  /// Nil: it is no Tutti peer.
  public let identity: Identity?
  /// When it came about, in CLOCK_MONOTONIC.
  public let at: Instant
}

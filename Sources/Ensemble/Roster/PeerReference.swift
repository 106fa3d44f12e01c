public import PeerProtocol
public import RTPMIDI

/// A remote peer as the user knows it.
public struct PeerReference: Hashable, Sendable {
  /// The name that the peer reports; nil if it reports none.
  public var name: String?
  /// The address of the peer's control port; nil while the peer is not in session.
  public var address: SocketAddress?
  /// Nil for a standard device, and for a peer that is not recognised yet.
  public var identity: Identity?

  public init(name: String?, address: SocketAddress? = nil, identity: Identity?) {
    (self.name, self.address, self.identity) = (name, address, identity)
  }
}

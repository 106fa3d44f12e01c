public import PeerProtocol
public import RTPMIDI

/// A remote peer as the user knows it.
public struct PeerReference: Hashable, Sendable {
  /// The name that the peer reports, or `peer` and its address or identity if it reports none. Nil if nothing is known of the peer.
  public var name: String?
  /// The address of the peer's control port; nil while the peer is not in session.
  public var address: SocketAddress?
  /// Nil for a standard device, and for a peer that is not recognised yet.
  public var identity: Identity?

  public init(name: String?, address: SocketAddress? = nil, identity: Identity?) {
    (self.name, self.address, self.identity) = (name, address, identity)
  }

  /// The name of a peer that reports none: `peer` and its IPv4 address, the interface identifier of its IPv6 address, or its identity. Nil
  /// if neither an address nor an identity is known.
  static func substitute(_ address: SocketAddress?, _ identity: Identity?) -> String? {
    guard let address else { return identity.map { "peer \($0)" } }
    if address.isIPv6 { return "peer \(String(address.low, radix: 16))" }
    let octets = (0..<4).reversed().map { String(address.low >> (8 * $0) & 255) }
    return "peer " + octets.joined(separator: ".")
  }
}

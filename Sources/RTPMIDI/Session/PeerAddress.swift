/// Where a datagram comes from and goes to: a host, and a port of it.
///
/// A peer's two ports are of one host, and a host may not take what is there for all.
public protocol PeerAddress: Hashable, Sendable {
  /// Whether both are addresses of the same host, whatever their ports.
  func isSameHost(as other: Self) -> Bool
}

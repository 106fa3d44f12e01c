public import RTPMIDI

/// Where a simulated peer is: a host, and a port of it.
public struct VirtualAddress: PeerAddress {
  public var host: UInt32
  public var port: Port

  public init(host: UInt32, port: Port) { (self.host, self.port) = (host, port) }

  public func isSameHost(as other: VirtualAddress) -> Bool { host == other.host }
}

public import RTPMIDI
public import Transports

extension SocketAddress: PeerAddress {
  public func isSameHost(as other: SocketAddress) -> Bool { host == other.host }
}

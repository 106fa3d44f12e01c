import PeerProtocol
import RTPMIDI
import Transports

// The web pages of other peers. When this peer disappears, a browser that shows its page connects to one of them.
extension Peer {
  /// The address of the web page of a remote peer, as in a URL: `192.168.1.20:8080`. Nil if the peer reports no page or is not in
  /// session, or if the address is not usable by other machines.
  ///
  /// The peer reports only the port. The host is taken from the address of the session. If the group has a passkey, only peers of the group
  /// can report a port. A page therefore sends its join token only to peers of the group.
  func pageAddress(of identity: Identity) -> String? {
    guard let port = core.roster.pagePort(of: identity), var address = core.roster[identity]?.reference.address,
      // A link-local IPv6 address needs the name of an interface, which a URL cannot contain.
      !address.isLoopback, !address.isIPv6 || !address.isLinkLocal
    else { return nil }
    address.port = port
    return address.description
  }
}

import PeerProtocol
import RTPMIDI
import Transports

// The web pages of other peers, to which the pages of this peer move when it disappears.
extension Peer {
  /// The address of the web page of a remote peer, as in a URL: `192.168.1.20:8080`. Nil if the peer announces no page or is not in
  /// session, or if the address is not usable by other machines.
  ///
  /// Only the port is announced. The host is that of the session, because anyone can announce a service, but with a passkey only a
  /// peer of the group can be in session. A page sends its join token only to such a peer.
  func pageAddress(of identity: Identity) -> String? {
    guard let page = services.page(of: identity.bits), var address = core.roster[identity]?.reference.address,
      // A link-local IPv6 address needs the name of an interface, which a URL cannot contain.
      !address.isLoopback, !address.isIPv6 || !address.isLinkLocal
    else { return nil }
    address.port = page
    return address.description
  }
}

import PeerProtocol
import RTPMIDI
import Transports

// The web pages of other peers, to which the pages of this peer move when it disappears.
extension Peer {
  /// Stores the port of the web page that `service` announces. Discovery limits the number of services.
  func addPage(of service: Discovery.Service) {
    guard !service.isLocal, let bits = service.identity, let page = service.page else { return }
    announcedPages[Identity(bits)] = page
  }

  /// Removes the port of the web page that `service` has announced.
  func removePage(of service: Discovery.Service) {
    guard let bits = service.identity, announcedPages[Identity(bits)] == service.page else { return }
    announcedPages[Identity(bits)] = nil
  }

  /// The address of the web page of a remote peer, as in a URL: `192.168.1.20:8080`. Nil if the peer announces no page or is not in
  /// session, or if the address is not usable by other machines.
  ///
  /// Only the port is announced. The host is that of the session, because anyone can announce a service, but with a passkey only a
  /// peer of the group can be in session. A page sends its join token only to such a peer.
  func pageAddress(of identity: Identity) -> String? {
    guard let page = announcedPages[identity], var address = core.roster[identity]?.reference.address,
      // A link-local IPv6 address needs the name of an interface, which a URL cannot contain.
      !address.isLoopback, !address.isIPv6 || !address.isLinkLocal
    else { return nil }
    address.port = page
    return address.description
  }
}

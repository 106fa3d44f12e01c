import Ensemble
import MusicalTime
import RTPMIDI
import Transports

// The configured hosts, whose names may be resolved while the peer plays.
extension Peer {
  /// Begins to resolve the configured hosts. Waits up to a second, so that a wrong name is an error at the start.
  ///
  /// - Throws: ``TransportError`` if the name server knows no such host.
  static func resolveHosts(_ configuration: PeerConfiguration, mailbox: Mailbox) throws(TransportError)
    -> (resolver: HostResolver, hosts: [HostResolver.Host])
  {
    let clocks: [String] = configuration.clockFrom.compactMap { if case .peer(let name) = $0 { name } else { nil } }
    var names: [String] = []
    for name in configuration.connect + clocks where !names.contains(name) { names.append(name) }
    let resolver = HostResolver(names, bell: mailbox.bell)
    resolver.wait(.seconds(1))
    let (hosts, failures) = resolver.take()
    if let wrong = failures.first(where: { !$0.isTemporary }) { throw wrong }
    return (resolver, hosts)
  }

  /// Uses the hosts that were resolved since the last call, and informs the player about failures.
  func handleHosts(at now: Instant) {
    let (found, failures) = hosts.take()
    for failure in failures { log.warning("\(failure); this peer tries again every 5 s") }
    for host in found { use(host, at: now) }
  }

  /// Connects to a host, and follows its clock if this is configured.
  func use(_ host: HostResolver.Host, at now: Instant) {
    core.invitations.configure(InvitationList.Place(host.address), at: now)
    let isClock = configuration.clockFrom.contains { if case .peer(let name) = $0 { name == host.name } else { false } }
    if isClock { core.peerClocks.append(RTPPeerClock(address: host.address, name: host.name)) }
  }
}

import Dispatch
import Ensemble
import MusicalTime
import RTPMIDI
import Transports

// The hosts that the user has given. If the name server is slow, their names are resolved only after the peer has started.
extension Peer {
  /// Begins to resolve the hosts of `configuration`: the hosts to connect to, the RTP-MIDI devices that are external clocks, and the
  /// contacts. Waits up to a second for the results, so that a wrong name is an error at the start.
  ///
  /// - Returns: the resolver of the hosts and the external clocks, the addresses that it has resolved so far, and the resolver of the
  ///   contacts.
  /// - Throws: ``TransportError`` if the name server does not know a host or an external clock. An unknown contact is not an error.
  static func resolveHosts(_ configuration: PeerConfiguration, mailbox: Mailbox) throws(TransportError)
    -> (resolver: HostResolver, hosts: [HostResolver.Host], contacts: HostResolver)
  {
    let clocks: [String] = configuration.clockFrom.compactMap { if case .peer(let name) = $0 { name } else { nil } }
    var names: [String] = []
    for name in configuration.connect + clocks where !names.contains(name) { names.append(name) }
    let resolver = HostResolver(names, bell: mailbox.bell)
    let contacts = HostResolver(configuration.policy.contacts?.hosts ?? [], bell: mailbox.bell)
    let limit = DispatchTime.now() + .seconds(1)
    resolver.wait(until: limit)
    contacts.wait(until: limit)
    let (hosts, failures) = resolver.take()
    if let wrong = failures.first(where: { !$0.isTemporary }) { throw wrong }
    return (resolver, hosts, contacts)
  }

  /// Connects to the hosts that were resolved since the last call, and informs the player about failures.
  func handleHosts(at now: Instant) {
    let (found, failures) = hosts.take()
    for failure in failures { log.warning("\(failure); this peer tries again every 5 s") }
    for host in found { use(host, at: now) }
    handleContacts(at: now)
  }

  /// Adds the addresses of the contacts that were resolved since the last call, and informs the player about failures.
  func handleContacts(at now: Instant) {
    let (found, failures) = contacts.take()
    for failure in failures { log.warning("contacts: \(failure); this peer tries again every 5 s") }
    for host in found { contactFile?.add(host) }
    guard !found.isEmpty, let contactFile, policy.kind == .contacts else { return }
    use(.contacts(contactFile), at: now)
  }

  /// Connects to the first address of a host, which `getaddrinfo` prefers (RFC 6724). If the host is configured as an external clock, also
  /// adds it to the external clocks.
  func use(_ host: HostResolver.Host, at now: Instant) {
    let address = host.addresses[0]
    core.invitations.configure(InvitationList.Place(address), at: now)
    let isClock = configuration.clockFrom.contains { if case .peer(let name) = $0 { name == host.name } else { false } }
    if isClock { core.peerClocks.append(RTPPeerClock(address: address, name: host.name)) }
  }
}

import Dispatch
import Ensemble
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Text
import Transports

/// The network around a peer, as far as it is not in session: the hosts that the user has configured, the services that discovery by
/// DNS-SD has found, and the connection policy. Decides which of them the peer invites.
struct Surroundings {
  private let configuration: PeerConfiguration
  /// Resolves the hosts to connect to, of the options and of the command `connect`, and the RTP-MIDI devices that are external clocks.
  private let hosts: HostResolver
  /// Resolves the hosts of the contact file.
  private let contacts: HostResolver
  /// The hosts that were resolved, and the names that were not found, before ``connect(_:restored:at:)``.
  private var resolved: [HostResolver.Host]
  private var notFound: [HostResolver.Failure]
  /// Nil while discovery is off.
  private var discovery: Discovery?
  /// Whether the Avahi daemon was missing at the start, and discovery has not reported this yet.
  private var startsWithoutDaemon = false
  /// The services that discovery has found.
  private var services = DiscoveredServices()
  /// The connection policy. ``use(_:in:at:)`` changes it.
  private(set) var policy: ConnectionPolicy
  /// The contact file, with the addresses of the contacts that are known so far. It is kept while another policy applies. Nil if no
  /// file was read.
  private var contactFile: ContactFile?

  /// Begins to resolve the names of the hosts, because a slow name server may answer only after the peer has started. Waits up to a second
  /// for the results, so that a wrong name of a clock is an error at the start. A host to connect to may appear later.
  ///
  /// - Throws: ``TransportError`` if the name server does not know an external clock.
  init(_ configuration: PeerConfiguration, bell: Doorbell) throws(TransportError) {
    self.configuration = configuration
    (policy, contactFile) = (configuration.policy, configuration.policy.contacts)
    let clocks: [String] = configuration.clockFrom.compactMap { if case .peer(let name) = $0 { name } else { nil } }
    hosts = HostResolver(
      configuration.connect.map { .init(name: $0, form: "--connect ") }
        + clocks.map { .init(name: $0, form: "--clock-from rtp:") }, bell: bell)
    contacts = HostResolver((contactFile?.hosts ?? []).map { .init(name: $0, form: "host ") }, bell: bell)
    let limit = DispatchTime.now() + .seconds(1)
    hosts.wait(until: limit)
    contacts.wait(until: limit)
    (resolved, notFound) = hosts.take()
    if let wrong = notFound.first(where: { clocks.contains($0.name) && !$0.error.isTemporary }) { throw wrong.error }
  }

  /// The configured hosts whose addresses are not known yet.
  var unresolved: [String] { hosts.unresolved }
  /// Whether a contact file was read.
  var hasContacts: Bool { contactFile != nil }

  // MARK: Discovery

  /// Announces the peer and browses for others, unless discovery is off.
  mutating func startDiscovery(_ control: UDPSocket, identity: Identity, bell: Doorbell) {
    guard configuration.discovery != .off else { return }
    // If the name is in use, a space and the first four digits of the identity are appended. The name leaves room for them.
    let name = configuration.name.cleanName(octets: 43) ?? configuration.name
    startsWithoutDaemon = !Discovery.hasDaemon
    discovery = Discovery(name: name, port: control.port, identity: identity.bits, ipv6: control.isDualStack) {
      bell.ring()
    }
  }

  /// Withdraws the announcement of the peer. The Avahi daemon does this in the background.
  func withdraw() { discovery?.withdraw() }

  /// Ends discovery. Waits for the Avahi daemon, which may hang.
  mutating func stopDiscovery() {
    discovery?.stop()
    discovery = nil
  }

  // MARK: Changes on the network

  /// Handles the events of discovery and the answers of the name server since the last call.
  mutating func advance(_ core: PeerCore, at now: Instant) -> [Notice] {
    var notices = (discovery?.drain() ?? []).compactMap { handle($0, in: core, at: now) }
    let (found, failures) = hosts.take()
    notices += failures.map { Notice("\($0.error)", .warning) }
    for host in found { connect(to: host, in: core, at: now) }
    return notices + updateContacts(core, at: now)
  }

  /// Handles an event of discovery: a service was found or lost, discovery is unavailable, or the service of this peer was renamed.
  mutating func handle(_ event: Discovery.Event, in core: PeerCore, at now: Instant) -> Notice? {
    switch event {
    case .found(let service):
      services.found(service)
      return policy.admits(service.name, from: service.address) ? invite(service, in: core, at: now) : nil
    case .lost(let service):
      services.lost(service)
      withdraw(service, in: core, at: now)
      return nil
    case .unavailable(let reason):
      // The program has said at the start how the other machines connect without the daemon.
      defer { startsWithoutDaemon = false }
      return Notice(reason, startsWithoutDaemon ? .debug : .notice, .announcements, of: "discovery")
    case .renamed(let name):
      let reason = "in use on this network, so other peers see \(name)"
      let line = "peer name \(configuration.name): \(reason); choose another name with --name"
      return Notice(line, .notice, .announcements, of: "the name of this peer")
    }
  }

  /// Invites a discovered Tutti peer, if discovery is configured to connect to peers. Does not check the connection policy.
  private func invite(_ service: Discovery.Service, in core: PeerCore, at now: Instant) -> Notice? {
    guard configuration.discovery == .connects, !service.isLocal, let identity = service.identity.map(Identity.init),
      identity != core.identity
    else { return nil }
    let isInSession = core.roster.session(of: identity) != nil
    let place = InvitationList.Place(service.address)
    if core.invitations.found(identity, as: service.name, at: place, isInSession: isInSession, now: now) { return nil }
    let limit = InvitationList.announcementLimit
    let reason = "not connected, because this peer keeps the announcements of at most \(limit) peers"
    let line = "\(service.name): \(reason); connect to it with --connect \(service.address)"
    return Notice(line, .notice, .announcements, of: "discovery")
  }

  /// Ends the invitations to a discovered Tutti peer. An existing session continues.
  private func withdraw(_ service: Discovery.Service, in core: PeerCore, at now: Instant) {
    // Discovery connects only Tutti peers, which announce an identity.
    guard let identity = service.identity else { return }
    let roster = core.roster
    core.invitations.withdrawn(
      Identity(identity), as: service.name, isInSession: { roster.session(of: $0) != nil }, now: now)
  }

  /// Adds the addresses of the contacts that were resolved since the last call.
  private mutating func updateContacts(_ core: PeerCore, at now: Instant) -> [Notice] {
    let (found, failures) = contacts.take()
    var notices = failures.map { Notice("contacts: \($0.error)", .warning) }
    for host in found { contactFile?.add(host) }
    if !found.isEmpty, let contactFile, policy.kind == .contacts {
      notices += use(.contacts(contactFile), in: core, at: now)
    }
    return notices
  }

  /// Connects to the first address of a host, which `getaddrinfo` prefers (RFC 6724). If the host is configured as an external clock, also
  /// adds it to the external clocks.
  private func connect(to host: HostResolver.Host, in core: PeerCore, at now: Instant) {
    let address = host.addresses[0]
    core.invitations.configure(InvitationList.Place(address), at: now)
    if configuration.clockFrom.contains(.peer(host.name)) {
      core.clocks.add(host.name, at: address)
    }
  }

  // MARK: Connections

  /// Begins to invite the configured hosts and the peers of the saved session (`restored`), and applies the configured policy.
  mutating func connect(_ core: PeerCore, restored: [SocketAddress], at now: Instant) -> [Notice] {
    for host in resolved { connect(to: host, in: core, at: now) }
    let notices = notFound.map { Notice("\($0.error)", .warning) }
    (resolved, notFound) = ([], [])
    for address in restored { core.invitations.configure(InvitationList.Place(address), at: now) }
    return notices + use(policy, in: core, at: now) + updateContacts(core, at: now)
  }

  /// Connects to a discovered service, and invites it again after each failure, as with `--connect`. The connection policy does not
  /// apply. If no service with this name is announced, informs the player.
  func connect(toHost name: String, in core: PeerCore, at now: Instant) -> Notice {
    guard let service = services[name] else {
      return Notice("host \(name): not announced on the network any longer; choose another host")
    }
    guard !isInSession(service, core, sessionAddresses(core)) else { return Notice("host \(name): already in session") }
    core.invitations.configure(InvitationList.Place(service.address), at: now)
    return Notice("host \(name): this peer sends invitations to \(service.address) until the host answers")
  }

  /// Connects to a discovered service, or to the host with this name or address, as the player has typed it. Invites it again after each
  /// failure, as with `--connect`.
  func seek(_ text: String, in core: PeerCore, at now: Instant) -> Notice {
    if services[text] != nil { return connect(toHost: text, in: core, at: now) }
    do throws(TransportError) {
      guard SocketAddress.isNumeric(text) else {
        try SocketAddress.parts(of: text)
        hosts.add(.init(name: text, form: "connect "))
        return Notice("\(text): this peer looks for a machine of this name")
      }
      let address = try SocketAddress(resolving: text)
      core.invitations.configure(InvitationList.Place(address), at: now)
      return Notice("\(text): this peer sends invitations until the machine answers")
    } catch {
      return Notice("\(error)")
    }
  }

  /// Sets the connection policy that the player has chosen.
  mutating func choose(_ kind: ConnectionPolicy.Kind, in core: PeerCore, at now: Instant) -> [Notice] {
    let (new, admitted): (ConnectionPolicy, String)
    switch kind {
    case .anyone: (new, admitted) = (.anyone, "anyone")
    case .none: (new, admitted) = (.none, "nobody")
    case .contacts:
      guard let contactFile else {
        let reason = "not possible now, because no contacts file was read at the start"
        return [Notice("policy contacts: \(reason); restart with --policy contacts")]
      }
      (new, admitted) = (.contacts(contactFile), "the peers in the contacts file")
    }
    guard kind != policy.kind else { return [] }
    let effect = "from now on, new connections are accepted from \(admitted); existing sessions continue"
    return use(new, in: core, at: now) + [Notice("connections: \(effect)")]
  }

  /// Applies a connection policy from now on. Sessions continue. Discovered peers that only the new policy admits are invited as if they
  /// had been announced now. Discovered peers that only the former policy admits are no longer invited.
  private mutating func use(_ new: ConnectionPolicy, in core: PeerCore, at now: Instant) -> [Notice] {
    let former = policy
    policy = new
    core.admitsIntroduced = { name, address in new.admits(name, from: address) }
    core.endpoint.admits = { new.admits($0, from: $1) }
    var notices: [Notice] = []
    for service in services.all {
      let didAdmit = former.admits(service.name, from: service.address)
      let admits = new.admits(service.name, from: service.address)
      if admits, !didAdmit, let notice = invite(service, in: core, at: now) { notices.append(notice) }
      if didAdmit, !admits { withdraw(service, in: core, at: now) }
    }
    return notices
  }

  /// The discovered services that are not in session, and the number of further ones that do not fit into the list. Nil if discovery is
  /// off.
  func availableHosts(_ core: PeerCore) -> (first: [PeerSnapshot.Host], further: Int)? {
    guard configuration.discovery != .off else { return nil }
    guard !services.all.isEmpty else { return ([], 0) }
    let addresses = sessionAddresses(core)
    let invited = Set(core.invitations.targets.map(\.place.control))
    return services.hosts(
      isInSession: { isInSession($0, core, addresses) }, isInvited: { invited.contains($0.address) })
  }

  /// The control addresses of all sessions, and the addresses to which the invitations to these sessions were sent. A device can answer
  /// from an address other than the invited one.
  private func sessionAddresses(_ core: PeerCore) -> Set<SocketAddress> {
    let invited = core.invitations.targets.filter { $0.session.map { core.roster.contains($0) } ?? false }
    return Set(core.roster.mapSessions { $0.session!.info.control } + invited.map(\.place.control))
  }

  /// Whether a service is in session: whether a session has the identity or the address of the service.
  ///
  /// - Parameter addresses: the value of ``sessionAddresses(_:)``.
  private func isInSession(_ service: Discovery.Service, _ core: PeerCore, _ addresses: Set<SocketAddress>) -> Bool {
    if let bits = service.identity, core.roster.session(of: Identity(bits)) != nil { return true }
    return addresses.contains(service.address)
  }
}

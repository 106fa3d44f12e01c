import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Text
import Transports

// Discovery of peers by DNS-SD.
extension Peer {
  /// Announces this peer and browses for others. Returns nil if discovery is off.
  func startDiscovery() -> Discovery? {
    guard configuration.discovery != .off else { return nil }
    let bell = mailbox.bell
    // If the name is in use, the Avahi daemon appends a number, for example " #2". The name leaves room for the number.
    let name = configuration.name.cleanName(octets: 44) ?? configuration.name
    return Discovery(
      name: name, port: ports.control.port, identity: identity.bits,
      ipv6: ports.control.isDualStack
    ) { bell.ring() }
  }

  /// Handles the events of discovery since the last call.
  func handleDiscovery(at now: Instant) {
    for event in discovery?.drain() ?? [] { handle(event, at: now) }
  }

  /// Handles an event of discovery: a service was found or lost, discovery is unavailable, or the service of this peer was renamed.
  func handle(_ event: Discovery.Event, at now: Instant) {
    switch event {
    case .found(let service):
      services.found(service)
      if policy.admits(service.name, from: service.address) { invite(service, at: now) }
    case .lost(let service):
      services.lost(service)
      withdraw(service, at: now)
    case .unavailable(let reason): write(reason, .notice, .announcements, of: "discovery", at: now)
    case .renamed(let name):
      let reason = "in use on this network, so other peers see \(name)"
      let line = "peer name \(configuration.name): \(reason); choose another name with --name"
      write(line, .notice, .announcements, of: "the name of this peer", at: now)
    }
  }

  /// Invites a discovered Tutti peer, if discovery is configured to connect to peers. Does not check the connection policy.
  func invite(_ service: Discovery.Service, at now: Instant) {
    guard configuration.discovery == .connects, !service.isLocal, let bits = service.identity else { return }
    let identity = Identity(bits)
    guard identity != self.identity else { return }
    let isInSession = core.roster.session(of: identity) != nil
    if !core.invitations.found(
      identity, as: service.name, at: InvitationList.Place(service.address), isInSession: isInSession, now: now)
    {
      let limit = InvitationList.announcementLimit
      let reason = "not connected, because this peer keeps the announcements of at most \(limit) peers"
      let line = "\(service.name): \(reason); connect to it with --connect \(service.address)"
      write(line, .notice, .announcements, of: "discovery", at: now)
    }
  }

  /// Ends the invitations to a discovered Tutti peer. An existing session continues.
  func withdraw(_ service: Discovery.Service, at now: Instant) {
    // Discovery connects only Tutti peers, which announce an identity.
    guard let identity = service.identity else { return }
    let roster = core.roster
    core.invitations.withdrawn(
      Identity(identity), as: service.name, isInSession: { roster.session(of: $0) != nil }, now: now)
  }
}

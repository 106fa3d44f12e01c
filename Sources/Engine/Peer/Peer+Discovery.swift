import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Transports

// Who is there on the network without having been named.
extension Peer {
  /// Announces this peer, and looks for others, if it is to.
  func discoverOthers() -> Discovery? {
    guard configuration.discovery != .off else { return nil }
    let bell = mailbox.bell
    return Discovery(
      name: configuration.name, port: ports.control.port, identity: identity.bits, ipv6: ports.control.isDualStack
    ) { bell.ring() }
  }

  /// Connects to the Tutti peers that have been found since the last time.
  func meetOthers(at now: Instant) {
    for event in discovery?.drain() ?? [] {
      switch event {
      case .found(let service): meet(service, at: now)
      case .lost(let service):
        guard let identity = service.identity else { break }
        let sessions = core.sessions
        core.connections.withdrawn(Identity(identity), as: service.name, isMet: { sessions[$0] != nil }, now: now)
      case .unavailable(let reason): log.notice("\(reason)")
      case .renamed(let name): log.notice("the name is taken on this network: the others find this peer as \(name)")
      }
    }
  }

  private func meet(_ service: Discovery.Service, at now: Instant) {
    guard configuration.discovery == .connects, !service.isOwn, let bits = service.identity else { return }
    let identity = Identity(bits)
    guard identity != self.identity, configuration.policy.admits(service.name, from: service.address) else { return }
    let isMet = core.sessions[identity] != nil
    if !core.connections.found(
      identity, as: service.name, at: Connections.Place(service.address), isMet: isMet, now: now)
    {
      log.notice(
        "\(service.name) was found, but \(Connections.mostFound) others were before; connect to it with --connect"
      )
    }
  }
}

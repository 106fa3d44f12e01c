import Ensemble
import MusicalTime
import PeerProtocol
import RTPMIDI
import Transports

// The connections that the player requests while the peer runs, and the connection policy.
extension Peer {
  /// Connects to a discovered service, and invites it again after each failure, as with `--connect`. The connection policy does not
  /// apply. If no service with this name is announced, informs the player.
  func connect(toHost name: String, at now: Instant) {
    guard let service = services[name] else {
      return log.notice("host \(name): not announced on the network any longer; choose another host")
    }
    guard !isInSession(service, sessionAddresses) else { return log.notice("host \(name): already in session") }
    core.invitations.configure(InvitationList.Place(service.address), at: now)
    log.notice("host \(name): this peer sends invitations to \(service.address) until the host answers")
  }

  /// Sets the connection policy that the player has chosen.
  func choose(_ kind: ConnectionPolicy.Kind, at now: Instant) {
    let new: ConnectionPolicy
    switch kind {
    case .anyone: new = .anyone
    case .none: new = .none
    case .contacts:
      guard let contactFile else {
        return log.notice(
          "policy contacts: not possible now, because no contacts file was read at the start; restart with --policy contacts"
        )
      }
      new = .contacts(contactFile)
    }
    guard kind != policy.kind else { return }
    use(new, at: now)
    let admitted =
      switch kind {
      case .anyone: "anyone"
      case .contacts: "the peers in the contacts file"
      case .none: "nobody"
      }
    log.notice("connections: from now on, new connections are accepted from \(admitted); existing sessions continue")
  }

  /// Applies a connection policy from now on. Sessions continue. Discovered peers that only the new policy admits are invited as if they
  /// had been announced now. Discovered peers that only the former policy admits are no longer invited.
  func use(_ new: ConnectionPolicy, at now: Instant) {
    let former = policy
    policy = new
    core.endpoint.admits = { new.admits($0, from: $1) }
    for service in services.all {
      let (didAdmit, admits) = (
        former.admits(service.name, from: service.address), new.admits(service.name, from: service.address)
      )
      if admits, !didAdmit { invite(service, at: now) }
      if didAdmit, !admits { withdraw(service, at: now) }
    }
  }

  /// The discovered services that are not in session, and the number of further ones that do not fit into the list. Nil if discovery is
  /// off.
  var availableHosts: (first: [PeerSnapshot.Host], further: Int)? {
    guard configuration.discovery != .off else { return nil }
    guard !services.all.isEmpty else { return ([], 0) }
    let addresses = sessionAddresses
    let invited = Set(core.invitations.targets.map(\.place.control))
    return services.hosts(
      isInSession: { isInSession($0, addresses) }, isInvited: { invited.contains($0.address) })
  }

  /// The control addresses of all sessions, and the addresses to which the invitations to these sessions were sent. A device can answer
  /// from an address other than the invited one.
  private var sessionAddresses: Set<SocketAddress> {
    let invited = core.invitations.targets.filter { $0.session.map { core.roster.contains($0) } ?? false }
    return Set(core.roster.mapSessions { $0.session!.info.control } + invited.map(\.place.control))
  }

  /// Whether a service is in session: whether a session has the identity or the address of the service.
  ///
  /// - Parameter addresses: the value of ``sessionAddresses``.
  private func isInSession(_ service: Discovery.Service, _ addresses: Set<SocketAddress>) -> Bool {
    if let bits = service.identity, core.roster.session(of: Identity(bits)) != nil { return true }
    return addresses.contains(service.address)
  }
}

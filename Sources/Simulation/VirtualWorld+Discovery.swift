import Ensemble
import MusicalTime
import RTPMIDI

// Discovery: peers find each other as if they announced themselves on the network.
extension VirtualWorld {
  /// Lets any two peers in the same part of the network find each other, if at least one of them is a newcomer: a peer that has joined
  /// or become reachable, and has not been discovered yet.
  func introduce() {
    let new = newcomers
    newcomers = []
    for peer in hosts.compactMap(\.peer) {
      var hasFound = false
      // A newcomer finds all peers. The other peers find the newcomers.
      let isNew = new.contains(peer.host)
      for host in isNew ? Array(hosts.indices) : new where host != peer.host && wire.reaches(peer.host, host) {
        guard let other = hosts[host].peer, peer.core.roster.session(of: other.identity) == nil else { continue }
        let place = InvitationList.Place(SocketAddress(host: host, .control))
        _ = peer.core.invitations.found(
          other.identity, as: hosts[host].name, at: place, isInSession: false, now: peer.now)
        hasFound = true
      }
      // The control thread invites the peers that were found.
      if hasFound { peer.wake(in: .zero) }
    }
  }

  /// Lets all peers find the peers at these hosts at the next discovery, at most ``discoveryDelay`` from now.
  func announce(_ hosts: [Int]) {
    guard settings.shape == nil else { return }
    // If there are newcomers already, their discovery is scheduled.
    if newcomers.isEmpty { wire.events.push(.world, host: Due.discovery.rawValue, at: now + Self.discoveryDelay) }
    newcomers += hosts.filter { !newcomers.contains($0) }
  }
}

import Ensemble
import MusicalTime
import RTPMIDI

// How peers find each other: as by announcements on the network.
extension Room {
  /// Those who can hear each other's announcements find each other, as far as one of them is new or both are back.
  func introduce() {
    let new = newcomers
    newcomers = []
    for peer in hosts.compactMap(\.peer) {
      var hasFound = false
      let isNew = new.contains(peer.host)
      for host in isNew ? Array(hosts.indices) : new where host != peer.host && wire.reaches(peer.host, host) {
        guard let other = hosts[host].peer, peer.core.roster.session(of: other.identity) == nil else { continue }
        let place = Connections.Place(SocketAddress(host: host, .control))
        _ = peer.core.connections.found(
          other.identity, as: hosts[host].name, at: place, isMet: false, now: peer.now)
        hasFound = true
      }
      if hasFound { peer.wake(in: .zero) }
    }
  }

  /// Has everybody find these hosts' peers in a while.
  func announce(_ hosts: [Int]) {
    if newcomers.isEmpty { wire.events.push(.room, host: Due.meeting.rawValue, at: now + Self.discovery) }
    newcomers += hosts.filter { !newcomers.contains($0) }
  }
}

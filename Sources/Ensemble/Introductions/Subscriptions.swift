import PeerProtocol

/// Which members have asked for the messages of which peers, by peer. Each presence looks up its subscribers. In a large ensemble, hundreds of
/// members may have asked, but only a few for the messages of one peer.
struct Subscriptions: Sendable {
  /// The peers that a member wants to hear.
  private var peers: [Identity: Set<Identity>] = [:]
  /// The members that want to hear a peer.
  private var members: [Identity: Set<Identity>] = [:]

  /// The members that want to hear a peer, in any order.
  func subscribers(of peer: Identity) -> Set<Identity> { members[peer] ?? [] }

  /// Sets which peers a member wants to hear, in place of all earlier ones.
  mutating func set(_ wanted: Set<Identity>, of member: Identity) {
    let former = peers[member] ?? []
    guard wanted != former else { return }
    for peer in former {
      members[peer]?.remove(member)
      if members[peer]?.isEmpty == true { members[peer] = nil }
    }
    for peer in wanted { members[peer, default: []].insert(member) }
    peers[member] = wanted.isEmpty ? nil : wanted
  }
}

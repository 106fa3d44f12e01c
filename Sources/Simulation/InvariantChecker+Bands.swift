import Ensemble
import MusicalTime
import PeerProtocol

// The invariants of a band in which not all peers reach each other.
extension InvariantChecker {
  /// Counts the starts and takeovers, and adds the changes of roles to the digest.
  func recordRoles(_ events: [VirtualPeer.Event], of peer: VirtualPeer) {
    for event in events {
      switch event {
      case .core(.role(let role)):
        outcome.hash(UInt64(bitPattern: now.nanoseconds) ^ UInt64(peer.host))
        if role == .master, states[peer.host].role == .idle { outcome.starts += 1 }
        (states[peer.host].role, states[peer.host].roleSince) = (role, now)
      case .core(.tookOver): outcome.takeovers += 1
      case .core(.outranked): outcome.outranked += 1
      case .step:
        outcome.steps += 1
      case .core, .sound, .heard, .recorded: break
      }
    }
  }

  /// Evaluates the invariants of all bands: sets of peers that are connected with each other by sessions, directly or through others.
  func evaluateBands() {
    for host in world.hosts.indices {
      guard let peer = world.hosts[host].peer else { continue }
      expect(
        .rest, holds: peer.spins < 1000, of: host, expected: "a deadline in the future",
        seen: "\(peer.spins) wakings for a deadline that has passed")
    }
    let bands = self.bands
    if bands != lastBands { (lastBands, bandChangedAt) = (bands, now) }
    guard now - bandChangedAt > .seconds(6) else { return }
    for band in bands { evaluate(band: band) }
  }

  /// The bands: the hosts of the connected components of the graph of sessions.
  private var bands: [[Int]] {
    var rest = Set(world.hosts.indices.filter { world.hosts[$0].peer != nil })
    var bands: [[Int]] = []
    while let first = rest.min() {
      var (band, queue) = ([Int](), [first])
      rest.remove(first)
      while let host = queue.popLast() {
        band.append(host)
        for other in rest.sorted() where isInSession(host, other) {
          rest.remove(other)
          queue.append(other)
        }
      }
      bands.append(band.sorted())
    }
    return bands
  }

  private func isInSession(_ a: Int, _ b: Int) -> Bool {
    guard let first = world.hosts[a].peer, let second = world.hosts[b].peer, world.wire.reaches(a, b) else {
      return false
    }
    return first.core.roster.session(of: second.identity) != nil
      && second.core.roster.session(of: first.identity) != nil
  }

  private func evaluate(band: [Int]) {
    let ensembles = band.map { ($0, world.hosts[$0].peer!.core.ensemble) }
    let masters = ensembles.filter { $0.1.role == .master }.map(\.0)
    expect(
      .oneBand, holds: masters.count <= 1, of: masters.first ?? band[0], expected: "one master",
      seen: "the masters \(masters.map { world.hosts[$0].name })")
    let identity = masters.first.map { world.hosts[$0].identity }
    for (host, ensemble) in ensembles where host != masters.first && masters.count <= 1 {
      expect(
        .oneBand, holds: ensemble.role.master == identity, of: host,
        expected: identity.map { "to follow \(name(of: $0))" } ?? "to be idle",
        seen: ensemble.role.master.map { "a follower of \(name(of: $0))" } ?? "\(ensemble.role)")
    }
    var owners: [UInt8: Int] = [:]
    for (host, ensemble) in ensembles {
      let other = ensemble.channel.flatMap { owners.updateValue(host, forKey: $0.wire) }
      expect(
        .oneBand, holds: ensemble.channel != nil && other == nil, of: host, expected: "a channel of its own",
        seen: other.map { "the channel of \(world.hosts[$0].name)" } ?? "no channel")
    }
    // Six seconds after the last message of a peer, no other peer lists it as a member. The check allows ten seconds.
    for (host, ensemble) in ensembles where now - bandChangedAt > .seconds(10) {
      let ghost = ensemble.memberStatuses(limit: .max, at: world.hosts[host].peer!.now).first { status in
        world.host(of: status.identity).map { !band.contains($0) } ?? true
      }
      expect(
        .oneBand, holds: ghost == nil, of: host, expected: "no member that has disappeared",
        seen: ghost.map { name(of: $0.identity) } ?? "")
    }
    for host in band {
      for other in band where host < other && world.wire.reaches(host, other) && now - bandChangedAt > .seconds(15) {
        expect(
          .meeting, holds: isInSession(host, other), of: host,
          expected: "a session with \(world.hosts[other].name)", seen: "none")
      }
    }
  }
}

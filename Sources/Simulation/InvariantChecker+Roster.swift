import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// Notes, gates, activity and channels.
extension InvariantChecker {
  func sounded(_ message: Message, from session: SessionID?, at peer: VirtualPeer) {
    guard let session else { return }
    let host = peer.host
    var holder = watched[host].held[session] ?? Holder()
    if let address = peer.core.roster[session]?.reference.address {
      holder.host = world.hosts.indices.first {
        address.isSameHost(as: SocketAddress(host: UInt32($0), port: 0))
      }
    }
    defer { watched[host].held[session] = holder }
    outcome.hash(UInt32(message.status) << 8 ^ UInt32(host))
    switch message {
    case .noteOn(_, let key, _) where !message.silencesNote:
      expectOpen(.notes, to: holder.host, at: host)
      holder.keys.insert(key.value)
    case .noteOn(_, let key, _), .noteOff(_, let key, _): holder.keys.remove(key.value)
    case .controlChange(_, 64, 0): break
    default: expectOpen(.modification, to: holder.host, at: host)
    }
  }

  private func expectOpen(_ gate: Gate, to other: Int?, at host: Int) {
    guard let other = other.map({ world.hosts[$0] }) else { return }
    let isOpen = world.hosts[host].gates.opening(for: other.identity, named: other.name)[gate]
    expect(.gates, isOpen, of: host, "nothing through a closed gate", "\(gate) of \(other.name)")
  }

  /// Checks that no key is held here that its player does not hold, and that a follower's rhythm gate is open.
  func evaluateNotes(at peer: VirtualPeer) {
    let host = peer.host
    for session in watched[host].held.keys.sorted(by: { $0.number < $1.number }) {
      guard var holder = watched[host].held[session] else { continue }
      guard !holder.keys.isEmpty else {
        watched[host].held[session]?.wrongSince = nil
        if !peer.core.roster.contains(session) { watched[host].held[session] = nil }
        continue
      }
      let player = holder.host
      let down = player.map { world.hosts[$0].keys } ?? []
      let isRight =
        player.map { world.hosts[$0].peer != nil && world.wire.reaches($0, host) } == true
        && holder.keys.allSatisfy { key in down.contains { $0.value == key } }
      holder.wrongSince = isRight ? nil : holder.wrongSince ?? now
      // A peer that leaves without a goodbye is given up after five seconds. If it returns earlier, two seconds remain from its
      // return on.
      let met = player.flatMap { world.hosts[$0].peer == nil ? nil : sessionAge($0, host) }
      let isTolerated = holder.wrongSince.map { since in
        met.map { min(now - since, $0) <= .seconds(2) } ?? (now - since <= .seconds(7))
      }
      expect(
        .notes, isTolerated ?? true, of: host, "no note of a released key",
        "a note of \(player.map { world.hosts[$0].name } ?? "an unknown peer")")
      watched[host].held[session] = holder
    }
    if case .follower(let identity) = peer.core.ensemble.role, now - watched[host].gatesChanged > .seconds(1) {
      expectOpen(.rhythm, to: world.host(of: identity), at: host)
    }
  }

  /// Checks that the total activity of the master is possible with the activities of all peers in the last half second.
  func evaluateTotal(of peer: VirtualPeer) {
    let host = peer.host
    guard !pairs.isEmpty, peer.core.ensemble.role == .master,
      now - watched[host].roleSince > .seconds(1), now - watched[host].calm > .seconds(1)
    else {
      watched[host].wrongSince = nil
      return
    }
    var (least, most): ([UInt8], [UInt8]) = ([lowest(host)], [highest(host)])
    for other in world.hosts.indices where other != host {
      let isSteady = now - watched[host].gatesChanged > .milliseconds(500)
      let isOpen = world.hosts[host].gates.opening(for: world.hosts[other].identity, named: world.hosts[other].name)[
        .activity]
      if isSteady, !isOpen { continue }
      // A peer that left without a goodbye counts for five seconds.
      if world.hosts[other].peer == nil, now - watched[other].behind.at > .seconds(6) { continue }
      let follows = world.hosts[other].peer?.core.ensemble.role == .follower(of: world.hosts[host].identity)
      let knows = sessionAge(host, other).map { $0 > .seconds(1) } ?? false
      if isSteady, follows, knows, now - watched[other].roleSince > .seconds(1) { least.append(lowest(other)) }
      // A peer that disappeared may count for five seconds with its last activity, even if it returns earlier.
      let behind = watched[other].behind
      let counts = !knows && now - behind.at <= EnsembleState.activityPatience + .milliseconds(500)
      most.append(counts ? max(behind.level, highest(other)) : highest(other))
    }
    let rule = peer.core.ensemble.totalActivityRule
    let total = peer.core.ensemble.totalActivity(at: peer.now)
    let range = rule.total(of: least)...max(rule.total(of: least), rule.total(of: most))
    watched[host].wrongSince = range.contains(total) ? nil : watched[host].wrongSince ?? now
    expect(
      .activity, watched[host].wrongSince == nil, of: host, "a total of \(range.lowerBound) to \(range.upperBound)",
      "\(total)")
  }

  private func lowest(_ host: Int) -> UInt8 {
    var value = UInt8.max
    for index in 0..<12 { value = min(value, watched[host].levels[index].lowerBound) }
    return value
  }

  func highest(_ host: Int) -> UInt8 {
    var value = UInt8.min
    for index in 0..<12 { value = max(value, watched[host].levels[index].upperBound) }
    return value
  }

  func evaluateChannel(of peer: VirtualPeer) {
    guard !pairs.isEmpty else { return }
    // A peer that left without a goodbye keeps its channel for five seconds.
    let claimants = world.hosts.indices.count {
      world.hosts[$0].peer != nil || now - watched[$0].behind.at < .seconds(7)
    }
    let isWithout =
      peer.core.ensemble.channel == nil && claimants <= 14 && now - watched[peer.host].calm > .seconds(3)
    watched[peer.host].channelless = isWithout ? watched[peer.host].channelless ?? now : nil
    expect(
      .channels, watched[peer.host].channelless.map { now - $0 <= .seconds(2) } ?? true, of: peer.host, "a channel",
      "none with \(world.hosts.count { $0.peer != nil }) peers")
  }
}

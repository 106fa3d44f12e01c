import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// What peers do to each other.
extension Inspector {
  func sounds(_ message: Message, from session: SessionID?, at peer: VirtualPeer) {
    guard let session else { return }
    let host = peer.host
    var holder = watched[host].held[session] ?? Holder()
    if let address = peer.core.roster[session]?.reference.address {
      holder.host = room.hosts.indices.first {
        address.isSameHost(as: SocketAddress(host: UInt32($0), port: 0))
      }
    }
    defer { watched[host].held[session] = holder }
    record.note(UInt32(message.status) << 8 ^ UInt32(host))
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
    guard let other = other.map({ room.hosts[$0] }) else { return }
    let isOpen = room.hosts[host].gates.opening(for: other.identity, named: other.name)[gate]
    expect(.gates, isOpen, of: host, "nothing through a closed gate", "\(gate) of \(other.name)")
  }

  func lookAtNotes(at peer: VirtualPeer) {
    let host = peer.host
    for session in watched[host].held.keys.sorted(by: { $0.number < $1.number }) {
      guard var holder = watched[host].held[session] else { continue }
      guard !holder.keys.isEmpty else {
        watched[host].held[session]?.wrongSince = nil
        if !peer.core.roster.contains(session) { watched[host].held[session] = nil }
        continue
      }
      let player = holder.host
      let down = player.map { room.hosts[$0].keys } ?? []
      let isRight =
        player.map { room.hosts[$0].peer != nil && room.wire.reaches($0, host) } == true
        && holder.keys.allSatisfy { key in down.contains { $0.value == key } }
      holder.wrongSince = isRight ? nil : holder.wrongSince ?? now
      // Whoever does not say goodbye is given up after five seconds; who is back before that has two from then on.
      let met = player.flatMap { room.hosts[$0].peer == nil ? nil : acquaintance($0, host) }
      let isPatient = holder.wrongSince.map { since in
        met.map { min(now - since, $0) <= .seconds(2) } ?? (now - since <= .seconds(7))
      }
      expect(
        .notes, isPatient ?? true, of: host, "no note that nobody holds",
        "one of \(player.map { room.hosts[$0].name } ?? "a stranger")")
      watched[host].held[session] = holder
    }
    if case .follower(let identity) = peer.core.ensemble.role, now - watched[host].gatesChanged > .seconds(1) {
      expectOpen(.rhythm, to: room.host(of: identity), at: host)
    }
  }

  /// The master's total lies between what everybody's levels of the last half second can come to.
  func lookAtTotal(of peer: VirtualPeer) {
    let host = peer.host
    guard !pairs.isEmpty, peer.core.ensemble.role == .master,
      now - watched[host].roleSince > .seconds(1), now - watched[host].calm > .seconds(1)
    else {
      watched[host].wrongSince = nil
      return
    }
    var (least, most): ([UInt8], [UInt8]) = ([lowest(host)], [highest(host)])
    for other in room.hosts.indices where other != host {
      let isSteady = now - watched[host].gatesChanged > .milliseconds(500)
      let isOpen = room.hosts[host].gates.opening(for: room.hosts[other].identity, named: room.hosts[other].name)[
        .activity]
      if isSteady, !isOpen { continue }
      // Who has gone without a word counts for five seconds.
      if room.hosts[other].peer == nil, now - watched[other].behind.at > .seconds(6) { continue }
      let follows = room.hosts[other].peer?.core.ensemble.role == .follower(of: room.hosts[host].identity)
      let knows = acquaintance(host, other).map { $0 > .seconds(1) } ?? false
      if isSteady, follows, knows, now - watched[other].roleSince > .seconds(1) { least.append(lowest(other)) }
      // Who vanished may count for five seconds with what it told last, also when it is back before that.
      let behind = watched[other].behind
      let counts = !knows && now - behind.at <= EnsembleState.activityPatience + .milliseconds(500)
      most.append(counts ? max(behind.level, highest(other)) : highest(other))
    }
    let rule = peer.core.ensemble.activityRule
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

  func lookAtChannel(of peer: VirtualPeer) {
    guard !pairs.isEmpty else { return }
    // Who has gone without a word keeps its channel for five seconds.
    let claimants = room.hosts.indices.count { room.hosts[$0].peer != nil || now - watched[$0].behind.at < .seconds(7) }
    let isWithout =
      peer.core.ensemble.channel == nil && claimants <= 14 && now - watched[peer.host].calm > .seconds(3)
    watched[peer.host].channelless = isWithout ? watched[peer.host].channelless ?? now : nil
    expect(
      .channels, watched[peer.host].channelless.map { now - $0 <= .seconds(2) } ?? true, of: peer.host, "a channel",
      "none, with \(room.hosts.count { $0.peer != nil }) peers there")
  }
}

import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// Notes, gates, activity and channels.
extension InvariantChecker {
  /// Records a note or controller of another player that has passed a gate of a peer, and checks that this gate is open.
  func admitted(_ message: Message, from session: SessionID?, at peer: VirtualPeer) {
    // A message of the local player has no session and needs no open gate.
    guard let session else { return }
    let host = peer.host
    var holder = holder(of: session, at: peer)
    defer { states[host].held[session] = holder }
    outcome.hash(UInt32(message.status) << 8 ^ UInt32(host))
    switch message {
    case .noteOn(_, let key, _) where !message.silencesNote:
      expectOpen(.notes, to: holder.host, at: host)
      holder.admitted.insert(key.value)
    case .noteOn(_, let key, _), .noteOff(_, let key, _): holder.admitted.remove(key.value)
    // When a gate closes, the peer itself releases the sustain pedal and resets the channel of the remote player. These messages
    // pass although the gate is closed.
    case .controlChange(_, 64, 0), .controlChange(_, 121, _): break
    default: expectOpen(.modification, to: holder.host, at: host)
    }
  }

  /// Records a note of another player that sounds at a peer, and checks that the player of this peer wants to hear it.
  func heard(_ message: Message, from session: SessionID?, at peer: VirtualPeer) {
    guard let session, let key = message.key else { return }
    var holder = holder(of: session, at: peer)
    defer { states[peer.host].held[session] = holder }
    guard !message.silencesNote else {
      holder.heard.remove(key.value)
      return
    }
    holder.heard.insert(key.value)
    // The player's choice does not apply to a peer that is not identified yet: its notes sound like the notes of a standard device. A
    // note may have sounded just before the control thread identified the peer, so the check begins 100 ms after the first note that
    // follows the identification.
    guard peer.core.roster[session]?.identity != nil, let host = holder.host else { return }
    let firstNote = holder.firstNote ?? now
    holder.firstNote = firstNote
    guard now - firstNote > .milliseconds(100) else { return }
    expect(
      .hearing, holds: !world.hosts[peer.host].unheard.contains(host), of: peer.host,
      expected: "only notes of peers that the player of \(world.hosts[peer.host].name) hears",
      seen: "a note of \(world.hosts[host].name)")
  }

  /// Returns the notes that are on at `peer` and belong to the player of `session`.
  private func holder(of session: SessionID, at peer: VirtualPeer) -> Holder {
    var holder = states[peer.host].held[session] ?? Holder()
    if let address = peer.core.roster[session]?.reference.address {
      holder.host = world.hosts.indices.first {
        address.isSameHost(as: SocketAddress(host: $0, .control))
      }
    }
    return holder
  }

  /// Checks that the peer at `host` has opened `gate` for the peer at the host `other`. Does nothing if `other` is nil.
  private func expectOpen(_ gate: Gate, to other: Int?, at host: Int) {
    guard let other = other.map({ world.hosts[$0] }) else { return }
    let isOpen = world.hosts[host].gates.opening(for: other.identity, named: other.name)[gate]
    expect(
      .gates, holds: isOpen, of: host, expected: "nothing through a closed gate", seen: "\(gate) of \(other.name)")
  }

  /// Checks that no note of a remote player is on at the peer after the player has released the key. If the peer is a follower,
  /// also checks that its rhythm gate is open for its master, unless the master only keeps the rhythm.
  func evaluateNotes(at peer: VirtualPeer) {
    let host = peer.host
    for session in states[host].held.keys.sorted(by: { $0.number < $1.number }) {
      guard var holder = states[host].held[session] else { continue }
      guard !holder.keys.isEmpty else {
        states[host].held[session]?.wrongSince = nil
        if !peer.core.roster.contains(session) { states[host].held[session] = nil }
        continue
      }
      let player = holder.host
      let down = player.map { world.hosts[$0].keys } ?? []
      // The notes are right if the peer of the player runs and can reach this peer, and if the player holds the keys of all notes.
      let isRight =
        player.map { world.hosts[$0].peer != nil && world.wire.reaches($0, host) } == true
        && holder.keys.allSatisfy { key in down.contains { $0.value == key } }
      holder.wrongSince = isRight ? nil : holder.wrongSince ?? now
      // A note may sound for two seconds after its key was released or, if that is later, after the session began. If the player is
      // no longer in session, the limit is seven seconds, because the peer ends the session only after five seconds of silence.
      let age = player.flatMap { world.hosts[$0].peer == nil ? nil : sessionAge($0, host) }
      let isTolerated = holder.wrongSince.map { since in
        age.map { min(now - since, $0) <= .seconds(2) } ?? (now - since <= .seconds(7))
      }
      expect(
        .notes, holds: isTolerated ?? true, of: host, expected: "no note of a released key",
        seen: "a note of \(player.map { world.hosts[$0].name } ?? "an unknown peer")")
      states[host].held[session] = holder
    }
    // In a led session, any peer may keep the rhythm of a lost leader.
    let isKept = peer.core.ensemble.claim?.isKept == true && !world.hosts[host].gates.leaders.isEmpty
    if case .follower(let identity) = peer.core.ensemble.role, !isKept, now - states[host].gatesChanged > .seconds(1) {
      expectOpen(.rhythm, to: world.host(of: identity), at: host)
    }
  }

  /// Checks that the total activity of the master can result from the activities of all peers in the last half second. It must be
  /// at least the total of the lowest values of all peers that the master must count. It must be at most the total of the highest
  /// values of all peers that the master may count.
  func evaluateTotal(of peer: VirtualPeer) {
    let host = peer.host
    // In a world of more than 16 hosts, `pairs` is empty, and the total is not checked.
    guard !pairs.isEmpty, peer.core.ensemble.role == .master,
      now - states[host].roleSince > .seconds(1), now - states[host].disturbedAt > .seconds(1)
    else {
      states[host].wrongSince = nil
      return
    }
    var (lowestLevels, highestLevels): ([UInt8], [UInt8]) = ([lowest(host)], [highest(host)])
    for other in world.hosts.indices where other != host {
      // Shortly after a change of the gates, the activities before and after the change are possible.
      let isSteady = now - states[host].gatesChanged > .milliseconds(500)
      let isOpen = world.hosts[host].gates.opening(for: world.hosts[other].identity, named: world.hosts[other].name)[
        .activity]
      if isSteady, !isOpen { continue }
      // A peer that left without a goodbye (BY) counts for five seconds. The check allows six seconds.
      if world.hosts[other].peer == nil, now - states[other].disappearance.at > .seconds(6) { continue }
      let follows = world.hosts[other].peer?.core.ensemble.role == .follower(of: world.hosts[host].identity)
      // Whether the master has been in session with the other peer long enough to have received its activity.
      let isKnown = sessionAge(host, other).map { $0 > .seconds(1) } ?? false
      if isSteady, follows, isKnown, now - states[other].roleSince > .seconds(1) { lowestLevels.append(lowest(other)) }
      // After a disappearance, the peer may count with its last activity for five seconds, or until a new session has lasted
      // long enough for its new activity.
      let disappearance = states[other].disappearance
      let mayCount = !isKnown && now - disappearance.at <= EnsembleState.activityPatience + .milliseconds(500)
      highestLevels.append(mayCount ? max(disappearance.level, highest(other)) : highest(other))
    }
    let rule = peer.core.ensemble.totalActivityRule
    let total = peer.core.ensemble.totalActivity(at: peer.now)
    let least = rule.total(of: lowestLevels)
    // All simulated peers use the sum, which more levels never lower. `max` keeps the range valid for any rule.
    let range = least...max(least, rule.total(of: highestLevels))
    states[host].wrongSince = range.contains(total) ? nil : states[host].wrongSince ?? now
    // The check has no further tolerance, because the range covers the last half second.
    expect(
      .activity, holds: states[host].wrongSince == nil, of: host,
      expected: "a total of \(range.lowerBound) to \(range.upperBound)", seen: "\(total)")
  }

  /// The lowest activity of the peer at `host` in the last half second.
  private func lowest(_ host: Int) -> UInt8 {
    var value = UInt8.max
    for index in 0..<HostState.levelCount { value = min(value, states[host].levels[index].lowerBound) }
    return value
  }

  /// The highest activity of the peer at `host` in the last half second.
  func highest(_ host: Int) -> UInt8 {
    var value = UInt8.min
    for index in 0..<HostState.levelCount { value = max(value, states[host].levels[index].upperBound) }
    return value
  }

  /// Checks that a peer has a channel if one is free for it.
  func evaluateChannel(of peer: VirtualPeer) {
    // In a world of more than 16 hosts, `pairs` is empty, and the channels are not checked.
    guard !pairs.isEmpty else { return }
    // There are 14 channels: 2...9 and 11...16. Channel 1 carries activity, and channel 10 the drums. A peer that left without a
    // goodbye (BY) keeps its channel for five seconds. The check allows seven seconds.
    let claimants = world.hosts.indices.count {
      world.hosts[$0].peer != nil || now - states[$0].disappearance.at < .seconds(7)
    }
    let isWithout =
      peer.core.ensemble.channel == nil && claimants <= 14 && now - states[peer.host].disturbedAt > .seconds(3)
    states[peer.host].withoutChannelSince = isWithout ? states[peer.host].withoutChannelSince ?? now : nil
    expect(
      .channels, holds: states[peer.host].withoutChannelSince.map { now - $0 <= .seconds(2) } ?? true, of: peer.host,
      expected: "a channel", seen: "no channel, although only \(world.hosts.count { $0.peer != nil }) peers run")
  }
}

import Ensemble
import MusicalTime

// What peers hear of the rhythm.
extension Inspector {
  /// After so long of following one master undisturbed a peer is in phase.
  private static let settling = Nanoseconds.seconds(3)
  /// After so long halves of a network that have met again are in phase.
  private static let healing = Nanoseconds.seconds(90)

  /// How far a settled peer's step may be from its master's on this network.
  private var bound: Nanoseconds {
    let network = room.wire.network
    return .milliseconds(2)
      + Nanoseconds(network.jitter.count * 2 + Int64(Double(network.delay.count) * network.reorder))
  }

  /// Notes which rhythm a peer plays in a new role.
  func noteRhythm(of host: Int, as role: Role) {
    let before = watched[host].rhythm
    switch role {
    case .idle: watched[host].rhythm = 0
    case .master:
      guard before == 0 else { break }
      rhythms += 1
      watched[host].rhythm = rhythms
    case .follower(let identity):
      guard let master = room.host(of: identity) else { break }
      watched[host].rhythm = watched[master].rhythm
      // As far off as that one is from the others, and goes towards them, who follows it will be.
      watched[host].parted = [watched[host].parted, watched[master].parted].compactMap { $0 }.max()
      guard before != 0 else { break }
      var isApart = before != watched[master].rhythm
      if let mine = watched[host].last?.step.length, let theirs = watched[master].last?.step.length {
        isApart = isApart || Self.isAnotherTempo(mine, theirs)
      }
      if isApart { watched[host].parted = now }
    }
  }

  /// Whether two lengths of a step differ by more than a tempo does from itself on another's clock.
  private static func isAnotherTempo(_ a: Nanoseconds, _ b: Nanoseconds) -> Bool {
    (a - b).magnitude.count > a.count / 1000
  }

  func heard(_ step: Sounded, by peer: VirtualPeer) {
    let host = peer.host
    let at = peer.clock.truth(at: step.due)
    record.steps += 1
    record.hits += Int(step.hits)
    record.note(UInt64(bitPattern: at.nanoseconds))
    record.note(UInt64(bitPattern: step.step.index) << 16 ^ UInt64(step.level) << 8 ^ UInt64(host))
    let isCalm = now - watched[host].calm > Self.settling
    if let (last, lastAt) = watched[host].last {
      let goesOn = step.goesOn(from: last)
      if goesOn {
        expect(
          .steps, step.step.index == last.step.index + 1, of: host, "step \(last.step.index + 1)",
          "step \(step.step.index)\(last.run == step.run ? "" : ", of a rhythm that took the place of its own")")
      } else if step.cutsShort, isCalm {
        // Another rhythm more than a step off is joined on one of its bars, and up to that the one before is heard, but
        // for its last 10 ms.
        let isJoined = Tick(of: step.step).index % EnsembleState.bar == 0
        expect(
          .steps, isJoined, of: host, "its rhythm to go on after step \(last.step.index)",
          "it begin anew with step \(step.step.index)")
        let limit = last.length + .milliseconds(12)
        expect(
          .steps, at - lastAt <= limit, of: host,
          "\(limit.milliseconds) ms at most from step \(last.step.index) to the first of another rhythm",
          "\((at - lastAt).milliseconds) ms")
      }
      if goesOn, isCalm {
        let interval = at - lastAt
        let (short, long) = (min(step.length, last.length), max(step.length, last.length))
        // Where all tellings of a change of tempo were lost in time it is made good at once when it is known: who was behind
        // hurries through a step at most, who was ahead waits for two.
        let isLate = Self.isAnotherTempo(short, long) && room.wire.network.loss > 0
        let range = isLate ? 1...long.count * 7 / 2 : short.count / 2...long.count * 3 / 2
        expect(
          .steps, range.contains(interval.count), of: host,
          "\(short.milliseconds) ms from step \(last.step.index) to the next", "\(interval.milliseconds) ms")
      }
    }
    watched[host].last = (step, at)
    let index = Int(truncatingIfNeeded: step.step.index) & 63
    watched[host].recent[index] = Heard(step: step.step, at: at, level: step.level)
    watched[host].fresh |= 1 << UInt64(index)
    watched[host].stillSince = nil
  }

  /// Compares what a follower has heard of late with what its master has.
  func lookAtSteps(of peer: VirtualPeer) {
    let host = peer.host
    guard case .follower(let identity) = peer.core.ensemble.role, let master = room.host(of: identity),
      let leader = room.hosts[master].peer, leader.core.ensemble.role == .master,
      room.wire.reaches(host, master), let acquaintance = acquaintance(host, master)
    else {
      watched[host].stillSince = nil
      watched[host].differs = nil
      watched[host].strays = nil
      return
    }
    let settled = min(
      acquaintance, now - watched[host].roleSince, now - watched[master].roleSince, now - watched[host].calm)
    let isSettled = settled > Self.settling
    // Who has come up to a step apart goes there by 4 ms a second at most.
    let parted = [watched[host].parted, watched[master].parted].compactMap { $0 }.max()
    let healed = parted.map { now - $0 } ?? .seconds(1 << 20)
    let isHealed = healed > Self.healing
    // While nothing at all is heard something is wrong, unless the rhythm is about to begin or end.
    if isSettled, let (_, lastAt) = watched[master].last, now - lastAt < .seconds(1) {
      watched[host].stillSince = watched[host].stillSince ?? now
      expect(
        .steps, now - watched[host].stillSince! < .seconds(5), of: host, "its master's rhythm",
        "it stand still for five seconds")
    }
    // A change of which all tellings were lost is told by the first packet that comes through.
    let patience = room.wire.network.loss > 0 ? Nanoseconds.seconds(3) : .zero
    for index in 0..<64 where watched[host].fresh & 1 << UInt64(index) != 0 {
      let mine = watched[host].recent[index]
      guard now - mine.at > .milliseconds(300) else { continue }
      watched[host].fresh &= ~(1 << UInt64(index))
      let theirs = watched[master].recent[index]
      guard isSettled, theirs.step == mine.step, now - theirs.at < .seconds(2) else { continue }
      let distance = mine.at - theirs.at
      if isHealed { record.distances.append(distance) }
      // At 60 BPM a step is 250 ms, and a rhythm is left for good a quarter of one further off.
      let limit =
        isHealed ? bound : bound + max(.zero, .microseconds(312_500) - Nanoseconds(healed.count / 1000 * 7 / 2))
      let isNear = distance.magnitude <= limit
      watched[host].strays = isNear ? nil : watched[host].strays ?? now
      expect(
        .phase, watched[host].strays.map { now - $0 < patience } ?? true, of: host,
        "step \(mine.step.index) within \(limit.microseconds) us of its master's", "\(distance.microseconds) us")
      // Whoever has opened its gate goes by the total from the next beat on, a second at 60 BPM. Whoever is still ahead of its
      // master after a network has healed has handed a beat to its sound before the total of it is told.
      let isMeant =
        distance > .milliseconds(-40) && peer.core.ensemble.admits(.activity, from: identity)
        && mine.at - watched[host].gatesChanged > .milliseconds(1500)
      let isSame = theirs.level == mine.level || !isMeant
      watched[host].differs = isSame ? nil : watched[host].differs ?? now
      expect(
        .layers, watched[host].differs.map { now - $0 < patience } ?? true, of: host,
        "step \(mine.step.index) at the master's \(theirs.level)", "it at \(mine.level)")
    }
  }

  /// Whoever follows a master that is no more takes its place, or follows who does, within two seconds of the last packet.
  func lookAtMaster(of peer: VirtualPeer) {
    guard case .follower(let identity) = peer.core.ensemble.role, let master = room.host(of: identity) else {
      watched[peer.host].orphaned = nil
      return
    }
    let isThere = room.hosts[master].peer != nil && room.wire.reaches(master, peer.host)
    watched[peer.host].orphaned = isThere ? nil : watched[peer.host].orphaned ?? now
    // It may have come from one who vanished to another who did after that.
    let since = watched[peer.host].orphaned.map { max($0, watched[master].behind.at) }
    expect(
      .failover, since.map { now - $0 <= .seconds(3) } ?? true, of: peer.host,
      "another master within two seconds", "it follow \(name(of: identity)), who is gone for three")
  }
}

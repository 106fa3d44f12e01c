import Ensemble
import MusicalTime

// The steps of the peers.
extension InvariantChecker {
  /// A peer that has followed one master undisturbed for this time is in phase.
  private static let settlingTime = Nanoseconds.seconds(3)
  /// Parts of a network that reunited are in phase after this time.
  private static let healingTime = Nanoseconds.seconds(90)

  /// The maximum distance of a settled peer's step from its master's on this network.
  private var maximumDistance: Nanoseconds {
    let network = world.wire.network
    return .milliseconds(2)
      + Nanoseconds(network.jitter.count * 2 + Int64(Double(network.delay.count) * network.reorder))
  }

  /// Records which rhythm a peer plays in its new role.
  func noteRhythm(of host: Int, as role: Role) {
    let before = watched[host].rhythm
    switch role {
    case .idle: watched[host].rhythm = 0
    case .master:
      guard before == 0 else { break }
      rhythms += 1
      watched[host].rhythm = rhythms
    case .follower(let identity):
      guard let master = world.host(of: identity) else { break }
      watched[host].rhythm = watched[master].rhythm
      // A follower of a peer that still slews to another phase slews with it.
      watched[host].parted = [watched[host].parted, watched[master].parted].compactMap { $0 }.max()
      guard before != 0 else { break }
      var isApart = before != watched[master].rhythm
      if let mine = watched[host].last?.step.length, let theirs = watched[master].last?.step.length {
        isApart = isApart || Self.isAnotherTempo(mine, theirs)
      }
      if isApart { watched[host].parted = now }
    }
  }

  /// Whether two step lengths differ by more than the skew between two clocks explains.
  private static func isAnotherTempo(_ a: Nanoseconds, _ b: Nanoseconds) -> Bool {
    (a - b).magnitude.count > a.count / 1000
  }

  func played(_ step: PlayedStep, by peer: VirtualPeer) {
    let host = peer.host
    let at = peer.clock.truth(at: step.due)
    outcome.steps += 1
    outcome.hits += Int(step.hits)
    outcome.hash(UInt64(bitPattern: at.nanoseconds))
    outcome.hash(UInt64(bitPattern: step.step.index) << 16 ^ UInt64(step.level) << 8 ^ UInt64(host))
    let isCalm = now - watched[host].calm > Self.settlingTime
    if let (last, lastAt) = watched[host].last {
      let continues = step.continues(last)
      if continues {
        expect(
          .steps, step.step.index == last.step.index + 1, of: host, "step \(last.step.index + 1)",
          "step \(step.step.index)\(last.run == step.run ? "" : " of a rhythm that replaced it")")
      } else if step.cutsShort, isCalm {
        // A peer joins another rhythm more than a step away at the beginning of a bar. Until then it plays the previous
        // rhythm, except its last 10 ms.
        let isJoined = Tick(of: step.step).index % EnsembleState.bar == 0
        expect(
          .steps, isJoined, of: host, "the rhythm to continue after step \(last.step.index)",
          "another rhythm with step \(step.step.index)")
        let limit = last.length + .milliseconds(12)
        expect(
          .steps, at - lastAt <= limit, of: host,
          "at most \(limit.milliseconds) ms from step \(last.step.index) to the first of another rhythm",
          "\((at - lastAt).milliseconds) ms")
      }
      if continues, isCalm {
        let interval = at - lastAt
        let (short, long) = (min(step.length, last.length), max(step.length, last.length))
        // If all messages about a tempo change were lost, the peer corrects its phase immediately when it learns of the change. A
        // peer that was late shortens a step. A peer that was early waits for up to two steps.
        let isLate = Self.isAnotherTempo(short, long) && world.wire.network.loss > 0
        let range = isLate ? 1...long.count * 7 / 2 : short.count / 2...long.count * 3 / 2
        expect(
          .steps, range.contains(interval.count), of: host,
          "\(short.milliseconds) ms from step \(last.step.index) to the next", "\(interval.milliseconds) ms")
      }
    }
    watched[host].last = (step, at)
    let index = Int(truncatingIfNeeded: step.step.index) & 63
    watched[host].recent[index] = StepRecord(step: step.step, at: at, level: step.level)
    watched[host].fresh |= 1 << UInt64(index)
    watched[host].stillSince = nil
  }

  /// Compares the last steps of a follower with those of its master.
  func evaluateSteps(of peer: VirtualPeer) {
    let host = peer.host
    guard case .follower(let identity) = peer.core.ensemble.role, let master = world.host(of: identity),
      let leader = world.hosts[master].peer, leader.core.ensemble.role == .master,
      world.wire.reaches(host, master), let age = sessionAge(host, master)
    else {
      watched[host].stillSince = nil
      watched[host].differs = nil
      watched[host].strays = nil
      return
    }
    let settled = min(
      age, now - watched[host].roleSince, now - watched[master].roleSince, now - watched[host].calm)
    let isSettled = settled > Self.settlingTime
    // A peer slews over up to a step at 4 ms per second at most.
    let parted = [watched[host].parted, watched[master].parted].compactMap { $0 }.max()
    let healed = parted.map { now - $0 } ?? .seconds(1 << 20)
    let isHealed = healed > Self.healingTime
    // A follower without any step is wrong, except at the beginning and at the end of the rhythm.
    if isSettled, let (_, lastAt) = watched[master].last, now - lastAt < .seconds(1) {
      watched[host].stillSince = watched[host].stillSince ?? now
      expect(
        .steps, now - watched[host].stillSince! < .seconds(5), of: host, "the rhythm of its master",
        "no step for five seconds")
    }
    // If all messages about a change were lost, the first packet that arrives repairs the loss.
    let patience = world.wire.network.loss > 0 ? Nanoseconds.seconds(3) : .zero
    for index in 0..<64 where watched[host].fresh & 1 << UInt64(index) != 0 {
      let mine = watched[host].recent[index]
      guard now - mine.at > .milliseconds(300) else { continue }
      watched[host].fresh &= ~(1 << UInt64(index))
      let theirs = watched[master].recent[index]
      guard isSettled, theirs.step == mine.step, now - theirs.at < .seconds(2) else { continue }
      let distance = mine.at - theirs.at
      if isHealed { outcome.distances.append(distance) }
      // At 60 BPM a step is 250 ms. A follower whose error exceeds a step and a quarter (312.5 ms) jumps to the right
      // position.
      let limit =
        isHealed
        ? maximumDistance
        : maximumDistance + max(.zero, .microseconds(312_500) - Nanoseconds(healed.count / 1000 * 7 / 2))
      let isNear = distance.magnitude <= limit
      watched[host].strays = isNear ? nil : watched[host].strays ?? now
      expect(
        .phase, watched[host].strays.map { now - $0 < patience } ?? true, of: host,
        "step \(mine.step.index) within \(limit.microseconds) us of the master's", "\(distance.microseconds) us")
      // A peer that has opened its gate uses the total from the next beat on: one second at 60 BPM. A peer that is still ahead of
      // its master after a partition has passed a beat to its sound before the total of this beat is announced.
      let isMeant =
        distance > .milliseconds(-40) && peer.core.ensemble.admits(.activity, from: identity)
        && mine.at - watched[host].gatesChanged > .milliseconds(1500)
      let isSame = theirs.level == mine.level || !isMeant
      watched[host].differs = isSame ? nil : watched[host].differs ?? now
      expect(
        .layers, watched[host].differs.map { now - $0 < patience } ?? true, of: host,
        "step \(mine.step.index) at total activity \(theirs.level)", "\(mine.level)")
    }
  }

  /// A follower of a master that has disappeared becomes master or follows another master within two seconds of the last packet.
  func evaluateMaster(of peer: VirtualPeer) {
    guard case .follower(let identity) = peer.core.ensemble.role, let master = world.host(of: identity) else {
      watched[peer.host].orphaned = nil
      return
    }
    let isThere = world.hosts[master].peer != nil && world.wire.reaches(master, peer.host)
    watched[peer.host].orphaned = isThere ? nil : watched[peer.host].orphaned ?? now
    // The peer may have begun to follow this master after another master had disappeared.
    let since = watched[peer.host].orphaned.map { max($0, watched[master].behind.at) }
    expect(
      .failover, since.map { now - $0 <= .seconds(3) } ?? true, of: peer.host,
      "another master within two seconds", "\(name(of: identity)), which disappeared three seconds ago")
  }
}

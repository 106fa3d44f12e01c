import Ensemble
import MusicalTime

// The checks of the steps that the peers play.
extension InvariantChecker {
  /// The shortest time after which a peer is settled, if it has followed one master without a disturbance. A settled peer is in phase,
  /// unless it still slews. A disturbance is that the peer joins, or that a partition begins or ends. If a bar of the master is longer
  /// than two seconds, a peer that waits for its beginning settles later.
  private static let settlingTime = Nanoseconds.seconds(3)
  /// The largest error that is corrected without a jump, for example after parts of a network have reunited: 1.25 steps, at 60 BPM or at the
  /// lower tempo of a score. The clock corrects 4 ms per second (``SlewedClock/maximumCorrection``). The check expects 3.5 ms per second,
  /// which leaves a margin. The correction of 312.5 ms then takes 89 s.
  private static func largestSlew(_ step: Nanoseconds) -> Nanoseconds {
    max(.microseconds(312_500), Nanoseconds(step.count / 4 * 5))
  }

  /// The largest permitted distance between a step of a settled peer and the same step of its master. It depends on the network: it
  /// is the sum of 2 ms, twice the jitter, and the delay times the fraction of reordered packets. Reordered packets are held
  /// back, which adds to the error of the estimated clock. The last term is the tolerance for this error.
  private var maximumDistance: Nanoseconds {
    let network = world.wire.network
    return .milliseconds(2)
      + Nanoseconds(network.jitter.count * 2 + Int64(Double(network.delay.count) * network.reorder))
  }

  /// Records which rhythm a peer plays in its new role.
  func recordRhythm(of host: Int, as role: Role) {
    let before = states[host].rhythm
    switch role {
    case .idle: states[host].rhythm = 0
    case .master:
      // A peer that takes over a rhythm continues it under the same number.
      guard before == 0 else { break }
      rhythms += 1
      states[host].rhythm = rhythms
    case .follower(let identity):
      guard let master = world.host(of: identity) else { break }
      states[host].rhythm = states[master].rhythm
      // If the master still slews to another phase, its follower slews as well.
      states[host].phaseChangedAt = [states[host].phaseChangedAt, states[master].phaseChangedAt].compactMap { $0 }.max()
      // A peer that played no rhythm begins in phase with its master.
      guard before != 0 else { break }
      var mayHaveOtherPhase = before != states[master].rhythm
      if let mine = states[host].lastStep?.step.length, let theirs = states[master].lastStep?.step.length {
        mayHaveOtherPhase = mayHaveOtherPhase || Self.isAnotherTempo(mine, theirs)
      }
      if mayHaveOtherPhase { states[host].phaseChangedAt = now }
    }
  }

  /// Whether the difference of two step lengths is too large to be caused by the skew between two clocks.
  private static func isAnotherTempo(_ a: Nanoseconds, _ b: Nanoseconds) -> Bool {
    // One part in a thousand is 1000 ppm. Two simulated clocks differ by at most 200 ppm.
    (a - b).magnitude.count > a.count / 1000
  }

  /// Records a step of a peer, and checks its number and its distance from the previous step.
  func played(_ step: PlayedStep, by peer: VirtualPeer) {
    let host = peer.host
    let at = peer.clock.truth(at: step.due)
    outcome.steps += 1
    outcome.hits += Int(step.hits)
    outcome.hash(UInt64(bitPattern: at.nanoseconds))
    outcome.hash(UInt64(bitPattern: step.step.index) << 16 ^ UInt64(step.level) << 8 ^ UInt64(host))
    let isCalm = now - states[host].disturbedAt > Self.settlingTime
    if let (last, lastAt) = states[host].lastStep {
      let continues = step.continues(last)
      if continues {
        expect(
          .steps, holds: step.step.index == last.step.index + 1, of: host, expected: "step \(last.step.index + 1)",
          seen: "step \(step.step.index)\(last.run == step.run ? "" : " of another rhythm")")
      } else if step.cutsShort, isCalm {
        // If a peer joins another rhythm whose phase differs by more than a step, the peer begins this rhythm at the first step of
        // a bar. It plays the previous rhythm until 10 ms before this step (``EnsembleState/joiningTime``).
        let tick = Tick(of: step.step)
        let isJoined = tick - step.grid.line(notAfter: tick) < Tick.perStep
        expect(
          .steps, holds: isJoined, of: host, expected: "the rhythm to continue after step \(last.step.index)",
          seen: "another rhythm with step \(step.step.index)")
        // The length of a step, the 10 ms, and a tolerance of 2 ms.
        let limit = last.length + .milliseconds(12)
        expect(
          .steps, holds: at - lastAt <= limit, of: host,
          expected:
            "at most \(limit.milliseconds) ms from step \(last.step.index) to the first step of the next rhythm",
          seen: "\((at - lastAt).milliseconds) ms")
      }
      if continues, isCalm {
        let interval = at - lastAt
        let (short, long) = (min(step.length, last.length), max(step.length, last.length))
        // Normally, an interval deviates from the length of a step by at most half a step. If all messages about a tempo change
        // were lost, the peer corrects its phase at once when it learns of the change. A peer that was late then shortens a step.
        // A peer that was early waits for up to two additional steps.
        let mayJump = Self.isAnotherTempo(short, long) && world.wire.network.loss > 0
        let range = mayJump ? 1...long.count * 7 / 2 : short.count / 2...long.count * 3 / 2
        expect(
          .steps, holds: range.contains(interval.count), of: host,
          expected: "\(short.milliseconds) ms from step \(last.step.index) to the next",
          seen: "\(interval.milliseconds) ms")
      }
    }
    states[host].lastStep = (step, at)
    // The step number modulo 64, also if it is negative.
    let index = Int(truncatingIfNeeded: step.step.index) & 63
    states[host].recent[index] = StepRecord(
      step: step.step, at: at, level: step.level, hits: step.hits, loudness: step.loudness, rhythm: step.rhythm,
      grid: step.grid, isSilent: step.isSilent, place: step.place, isOwn: peer.core.ensemble.playsOwnRhythm)
    states[host].uncompared |= 1 << UInt64(index)
    states[host].silentSince = nil
  }

  /// Compares the last steps of a follower with those of its master.
  func evaluateSteps(of peer: VirtualPeer) {
    let host = peer.host
    guard case .follower(let identity) = peer.core.ensemble.role, let master = world.host(of: identity),
      let leader = world.hosts[master].peer, leader.core.ensemble.role == .master,
      world.wire.reaches(host, master), let age = sessionAge(host, master)
    else {
      states[host].silentSince = nil
      states[host].layersDifferSince = nil
      states[host].rhythmsDifferSince = nil
      states[host].rhythmMissingSince = nil
      (states[host].placesDifferSince, states[host].scoreMissingSince) = (nil, nil)
      states[host].outOfPhaseSince = nil
      return
    }
    let undisturbedTime = min(
      age, now - states[host].roleSince, now - states[master].roleSince, now - states[host].disturbedAt)
    let stepOfMaster = states[master].lastStep?.step
    let bar = stepOfMaster.map { Nanoseconds($0.length.count * $0.grid.meter.stepsPerBar) } ?? .zero
    let isSettled = undisturbedTime > max(Self.settlingTime, bar + .seconds(1))
    // Either of the two peers may still slew to another phase.
    let phaseChangedAt = [states[host].phaseChangedAt, states[master].phaseChangedAt].compactMap { $0 }.max()
    let largestSlew = Self.largestSlew(stepOfMaster?.length ?? .zero)
    // Without a change of phase, a long time.
    let sincePhaseChange = phaseChangedAt.map { now - $0 } ?? .seconds(1 << 20)
    let slewed = Nanoseconds(sincePhaseChange.count / 1000 * 7 / 2)
    let isInPhase = slewed > largestSlew
    // While its master plays, a settled follower must play at least one step in five seconds.
    if isSettled, let (_, lastAt) = states[master].lastStep, now - lastAt < .seconds(1) {
      states[host].silentSince = states[host].silentSince ?? now
      expect(
        .steps, holds: now - states[host].silentSince! < .seconds(5), of: host, expected: "the rhythm of its master",
        seen: "no step for five seconds")
    }
    // If all messages about a change were lost, the peer plays wrong steps until a packet arrives and repairs the loss.
    let patience = world.wire.network.loss > 0 ? Nanoseconds.seconds(3) : .zero
    for index in 0..<64 where states[host].uncompared & 1 << UInt64(index) != 0 {
      let mine = states[host].recent[index]
      // The comparison waits for 300 ms, because the master may play the same step later.
      guard now - mine.at > .milliseconds(300) else { continue }
      states[host].uncompared &= ~(1 << UInt64(index))
      let theirs = states[master].recent[index]
      guard isSettled, theirs.step == mine.step, now - theirs.at < .seconds(2) else { continue }
      let distance = mine.at - theirs.at
      if isInPhase { outcome.distances.append(distance) }
      // A follower with a larger error jumps to the right position. A smaller error decreases by at least 3.5 ms per second.
      let limit = maximumDistance + max(.zero, largestSlew - slewed)
      let isNear = distance.magnitude <= limit
      states[host].outOfPhaseSince = isNear ? nil : states[host].outOfPhaseSince ?? now
      expect(
        .phase, holds: states[host].outOfPhaseSince.map { now - $0 < patience } ?? true, of: host,
        expected: "step \(mine.step.index) within \(limit.microseconds) us of the master's",
        seen: "\(distance.microseconds) us")
      // The levels may differ in three cases:
      // - The activity gate of the peer is closed for its master.
      // - The peer has opened this gate, but uses the total only from the next beat on, up to one second later at 60 BPM.
      //   The check allows 1.5 seconds.
      // - After a partition, the peer is still ahead of its master by more than 40 ms. It has passed a beat to its audio output before
      //   the master announces the total of this beat. The master does this 110 ms before the beat, and the peer passes the beat 50 ms
      //   before the beat sounds. Of the difference of 60 ms, 20 ms are left for the message.
      let mustBeSame =
        distance > .milliseconds(-40) && peer.core.ensemble.admits(.activity, from: identity)
        && mine.at - states[host].gatesChanged > .milliseconds(1500)
      // A peer that plays its own rhythm is exempt, and so are the hits of a peer that does not have the rhythm yet.
      let sharesRhythm = !mine.isOwn && !theirs.isOwn
      let isSameRhythm = !sharesRhythm || (mine.rhythm == theirs.rhythm && mine.grid == theirs.grid)
      states[host].rhythmsDifferSince = isSameRhythm ? nil : states[host].rhythmsDifferSince ?? now
      expect(
        .rhythm, holds: states[host].rhythmsDifferSince.map { now - $0 < patience } ?? true, of: host,
        expected: "step \(mine.step.index) of the rhythm \(theirs.rhythm) in the bars \(theirs.grid)",
        seen: "\(mine.rhythm) in \(mine.grid)")
      let isMissing = sharesRhythm && mine.isSilent && !theirs.isSilent
      states[host].rhythmMissingSince = isMissing ? states[host].rhythmMissingSince ?? now : nil
      expect(
        .rhythm, holds: states[host].rhythmMissingSince.map { now - $0 < .seconds(6) } ?? true, of: host,
        expected: "the rhythm of its master", seen: "that it has not arrived for six seconds")
      // A peer with a patch of its own plays no score of others.
      if !world.pieces.isEmpty, peer.core.ensemble.followsPatch, leader.core.ensemble.followsPatch {
        comparePlaces(mine.place, theirs.place, mine.step, of: host, patience)
      }
      let playSame = sharesRhythm && !mine.isSilent && !theirs.isSilent
      let isSame =
        (theirs.level == mine.level && (!playSame || theirs.hits == mine.hits && theirs.loudness == mine.loudness))
        || !mustBeSame
      states[host].layersDifferSince = isSame ? nil : states[host].layersDifferSince ?? now
      expect(
        .layers, holds: states[host].layersDifferSince.map { now - $0 < patience } ?? true, of: host,
        expected:
          "step \(mine.step.index) at total activity \(theirs.level) with \(theirs.hits) hits of loudness \(theirs.loudness)",
        seen: "\(mine.level), \(mine.hits) hits of loudness \(mine.loudness)")
    }
  }

  /// Compares the places in the score of a peer and of its master at a step.
  private func comparePlaces(
    _ mine: ScorePlace, _ theirs: ScorePlace, _ step: Step, of host: Int, _ patience: Nanoseconds
  ) {
    let isSame =
      mine.line == theirs.line
      && (mine.isSilent || theirs.isSilent || mine.bar == theirs.bar && mine.offset == theirs.offset)
    states[host].placesDifferSince = isSame ? nil : states[host].placesDifferSince ?? now
    expect(
      .score, holds: states[host].placesDifferSince.map { now - $0 < patience } ?? true, of: host,
      expected: "step \(step.index) at bar \(theirs.bar), tick \(theirs.offset), of \(theirs.line)",
      seen: "bar \(mine.bar), tick \(mine.offset), of \(mine.line)")
    let isMissing = mine.isSilent && !theirs.isSilent
    states[host].scoreMissingSince = isMissing ? states[host].scoreMissingSince ?? now : nil
    expect(
      .score, holds: states[host].scoreMissingSince.map { now - $0 < .seconds(8) } ?? true, of: host,
      expected: "the score of its master", seen: "that it has not arrived for eight seconds")
  }

  /// Checks that a follower of a master that has disappeared becomes master or follows another master within two seconds of the
  /// last packet. The check allows three seconds.
  func evaluateMaster(of peer: VirtualPeer) {
    guard case .follower(let identity) = peer.core.ensemble.role, let master = world.host(of: identity) else {
      states[peer.host].masterlessSince = nil
      return
    }
    let isThere = world.hosts[master].peer != nil && world.wire.reaches(master, peer.host)
    states[peer.host].masterlessSince = isThere ? nil : states[peer.host].masterlessSince ?? now
    // `masterlessSince` may count from the disappearance of a former master. The time then counts from the disappearance of this master.
    let since = states[peer.host].masterlessSince.map { max($0, states[master].disappearance.at) }
    expect(
      .failover, holds: since.map { now - $0 <= .seconds(3) } ?? true, of: peer.host,
      expected: "a new master within 3 s (2 s and a tolerance of 1 s)",
      seen: "that \(name(of: identity)) is still the master, 3 s after it disappeared")
  }
}

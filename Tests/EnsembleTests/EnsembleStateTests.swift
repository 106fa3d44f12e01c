import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Testing

/// Expects that the steps of each run have consecutive numbers and increasing instants.
private func expectConsecutiveSteps(_ runs: [[VirtualBand.Sounded]], _ label: String) {
  for run in runs {
    for (a, b) in zip(run, run.dropFirst()) {
      #expect(b.step.index == a.step.index + 1, "\(label)")
      #expect(b.at > a.at, "\(label)")
    }
  }
}

/// Ensembles of several players that start, follow, change and stop a rhythm. `band.command(n)` passes the ensemble and the
/// local time of player `n` to a closure. Player `n` becomes the master if the closure starts a rhythm.
@Suite struct EnsembleStateTests {
  @Test(arguments: UInt64(1)...30) func followersPlayInPhaseWithTheMaster(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed, loss: Double(seed % 3) * 0.05)
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    try band.command(1) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    let master = band.players[1].runs[0]
    // The rhythm plays for 10 s, which is 80 steps at 120 BPM.
    #expect(master.first?.step == Step(0) && master.count >= 79)
    for (n, player) in band.players.enumerated() {
      #expect(player.ensemble.role == .idle, "seed \(seed)")
      #expect(player.runs.count == 1, "seed \(seed)")
      expectConsecutiveSteps(player.runs, "seed \(seed), player \(n)")
      #expect(player.runs[0].last?.step == master.last?.step, "seed \(seed)")
      for sounded in player.runs[0] {
        let same = try #require(master.first { $0.step == sounded.step })
        // The one-way delay is 0.1...3 ms, so the offset is known within 1.5 ms.
        #expect((sounded.at - same.at).magnitude < .microseconds(1500), "seed \(seed), player \(n), \(sounded.step)")
      }
    }
  }

  @Test(arguments: UInt64(1)...30) func tempoChangesSkipNoStep(seed: UInt64) throws {
    var band = VirtualBand(players: 3, seed: seed, loss: 0.1)
    let slow = try Tempo(bpm: 60)
    let fast = try Tempo(bpm: 180)
    try band.command(0) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .milliseconds(3217))
    // The second change follows the first, which applies less than the lead time later. The third one replaces the second or follows it.
    try band.command(0) { try $0.change(tempo: fast, at: $1) }
    band.run(for: .milliseconds(20))
    try band.command(0) { try $0.change(tempo: slow, at: $1) }
    band.run(for: .milliseconds(10))
    try band.command(0) { try $0.change(tempo: fast, at: $1) }
    band.run(for: .seconds(5))
    #expect(band.players[0].ensemble.tempo(at: band.localTime(of: 0)) == fast)
    for (n, player) in band.players.enumerated() {
      expectConsecutiveSteps(player.runs, "seed \(seed), player \(n)")
      // One player in a thousand misses the first three copies of the start. It gets another copy when its presence shows
      // that it does not know the rhythm.
      #expect(player.runs.count == 1 && player.runs[0][0].step <= Step(1), "seed \(seed)")
      let end = player.runs[0].suffix(2)
      let spacing = end.last!.at - end.first!.at
      #expect((spacing - Nanoseconds(fast.nanosecondsPerQuarter / 4)).magnitude < .milliseconds(1), "seed \(seed)")
    }
  }

  @Test(arguments: UInt64(1)...60) func simultaneousStartsLeaveOneMasterAndOneDownbeat(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    // Player 2 has not received the timeline message of player 0 yet.
    band.players[2].ensemble.advance(to: band.localTime(of: 2))
    try band.command(2) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(4))
    let masters = band.players.indices.filter { band.players[$0].ensemble.role == .master }
    #expect(masters.count == 1, "seed \(seed)")
    let winner = try #require(masters.first)
    // The terms are equal, so the lower identity wins.
    #expect(band.identity(winner) == min(band.identity(0), band.identity(2)), "seed \(seed)")
    for (n, player) in band.players.enumerated() where n != winner {
      #expect(player.ensemble.role == .follower(of: band.identity(winner)), "seed \(seed)")
      let steps = player.runs.flatMap { $0 }
      #expect(steps.filter { $0.step == Step(0) }.count == 1, "seed \(seed), player \(n)")
      for (a, b) in zip(steps, steps.dropFirst()) { #expect(b.step.index == a.step.index + 1, "seed \(seed)") }
    }
  }

  /// The player with the higher identity (`loser`) starts a rhythm. The first step sounds after the lead time of 100 ms. The other player
  /// starts another rhythm after 80 ms, and wins. Its timeline message takes 90 to 120 ms, so the loser's first step has already sounded.
  @Test func outrankedMasterDoesNotRepeatItsDownbeat() throws {
    for seed in UInt64(1)...40 {
      var band = VirtualBand(players: 2, seed: seed)
      band.delay = 90_000_000...120_000_000
      let (winner, loser) = band.identity(0) < band.identity(1) ? (0, 1) : (1, 0)
      try band.command(loser) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .milliseconds(80))
      try band.command(winner) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .seconds(4))
      #expect(band.players[winner].ensemble.role == .master, "seed \(seed)")
      let steps = band.players[loser].runs.flatMap { $0 }
      #expect(steps.filter { $0.step == Step(0) }.count == 1, "seed \(seed)")
      for (a, b) in zip(steps, steps.dropFirst()) { #expect(b.step.index == a.step.index + 1, "seed \(seed)") }
    }
  }

  @Test func onlyTheMasterStopsAndChangesTempo() throws {
    var band = VirtualBand(players: 2, seed: 3)
    #expect(throws: CommandError.nothingPlays) { try band.command(0) { try $0.stop(now: $1) } }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    let master = band.identity(0)
    #expect(throws: CommandError.belongsTo(master)) { try band.command(1) { try $0.stop(now: $1) } }
    #expect(throws: CommandError.belongsTo(master)) { try band.command(1) { try $0.change(tempo: .standard, at: $1) } }
    #expect(throws: CommandError.belongsTo(master)) { try band.command(1) { try $0.start(tempo: .standard, at: $1) } }
    #expect(throws: CommandError.belongsTo(master)) { try band.players[1].ensemble.locate(Step(4)) }
    #expect(throws: CommandError.alreadyPlaying) { try band.command(0) { try $0.start(tempo: .standard, at: $1) } }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    // While no rhythm plays, any peer may continue at the step at which the rhythm stopped.
    let position = band.players[1].ensemble.position
    #expect(position == band.players[0].ensemble.position && position > Step(0))
    try band.command(1) { try $0.continue(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.players[0].ensemble.role == .follower(of: band.identity(1)))
    #expect(band.players[0].runs[1].first?.step == position)
  }

  @Test func stopAtAnInstantPlaysExactlyTheTicksDueBeforeIt() throws {
    for bpm in [20.0, 61, 120, 137.3, 299.7, 999] {
      let tempo = try Tempo(bpm: bpm)
      var ensemble = EnsembleState(identity: Identity(1))
      let now = Instant(nanoseconds: 55)
      try ensemble.start(tempo: tempo, at: now)
      let downbeat = now + ensemble.lead
      // The rhythm plays for 60 s, and so for `bpm` quarter notes of 24 ticks.
      try ensemble.stop(at: downbeat + .seconds(60), now: now)
      var cursor = TickCursor(lead: .zero)
      var ticks: Int64 = 0
      while cursor.take(in: ensemble.schedule, at: cursor.due(in: ensemble.schedule)) != nil { ticks += 1 }
      #expect(ticks == Int64((bpm * 24).rounded(.up)), "\(bpm) BPM")
    }
  }

  /// A follower that misses the first copies of the end plays on for a while, but stops within three seconds.
  @Test(arguments: UInt64(1)...20) func allFollowersStopDespitePacketLoss(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed, loss: 0.5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(3))
    for player in band.players { #expect(player.ensemble.role == .idle, "seed \(seed)") }
  }

  @Test func followerSetToStopOnMasterLossStopsAfterTwoSeconds() throws {
    var band = VirtualBand(players: 2, seed: 5)
    band.players[1].ensemble.masterLoss = .stop
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.connected = { _, _ in false }
    let disconnection = band.now
    band.run(for: .seconds(4))
    let steps = band.players[1].runs[0]
    expectConsecutiveSteps([steps], "while the master is lost")
    #expect(
      steps.last!.at - disconnection > .milliseconds(1800) && steps.last!.at - disconnection < .milliseconds(2200))
    #expect(band.players[1].events.contains(.masterLost(band.identity(0))))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func endIsBroughtForwardButNotPostponed() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 0)
    try ensemble.start(tempo: .standard, at: now)
    try ensemble.stop(at: now + .seconds(60), now: now)
    try ensemble.stop(now: now + .seconds(10))
    let end = ensemble.schedule.end
    // The second Stop moves the end to the first tick after the lead time of 100 ms. A tick lasts 21 ms. The third Stop
    // would postpone the end.
    #expect(ensemble.schedule.deadline(end) < now + .milliseconds(10_125))
    try ensemble.stop(now: now + .milliseconds(10_080))
    #expect(ensemble.schedule.end == end)
  }

  @Test func lateJoinerPlaysInPhaseWithin300Milliseconds() throws {
    var band = VirtualBand(players: 3, seed: 7)
    // Player 2, the late joiner, is not connected yet.
    band.connected = { $0 != 2 && $1 != 2 }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .milliseconds(5040))
    band.connected = { _, _ in true }
    let joined = band.now
    band.join(0, 2)
    band.run(for: .seconds(3))
    let steps = band.players[2].runs[0]
    expectConsecutiveSteps([steps], "late joiner")
    #expect(steps[0].at - joined < .milliseconds(300))
    let same = try #require(band.players[0].runs[0].first { $0.step == steps[0].step })
    #expect((same.at - steps[0].at).magnitude < .milliseconds(2))
  }

  /// A timeline message that arrives after the end of its rhythm does not start the rhythm again.
  @Test func delayedTimelineMessageDoesNotRestartAnEndedRhythm() throws {
    var band = VirtualBand(players: 2, seed: 13)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let outputs = band.players[0].outputs
    let delayed = try #require(
      outputs.lazy.compactMap {
        if case .send(.timeline(let timelineMessage), _, _) = $0 { timelineMessage } else { nil }
      }.first)
    band.run(for: .seconds(1))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    #expect(band.players[1].ensemble.role == .idle && delayed.end == Tick(.max))
    band.players[1].ensemble.received(delayed, from: band.identity(0), at: band.localTime(of: 1))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func timelineMessageWithAForgedOrImplausibleClaimIsRejected() throws {
    var band = VirtualBand(players: 3, seed: 9)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    // Player 2 sends a timeline message with the identity of player 0.
    let forged = TimelineMessage(
      claim: Claim(term: 1, identity: band.identity(0)), revision: 99, start: Tick(0), end: Tick(1),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))))
    let schedule = band.players[1].ensemble.schedule
    band.players[1].ensemble.received(forged, from: band.identity(2), at: band.localTime(of: 1))
    #expect(band.players[1].ensemble.rejected == 1 && band.players[1].ensemble.schedule == schedule)
    let implausible = TimelineMessage(
      claim: Claim(term: 0, identity: band.identity(2)), revision: 1, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))))
    band.players[1].ensemble.received(
      systemExclusive: implausible.systemExclusive, from: band.identity(2), at: band.localTime(of: 1))
    #expect(band.players[1].ensemble.rejected == 2 && band.players[1].ensemble.schedule == schedule)
  }

  @Test func sameInputsProduceTheSameSteps() throws {
    func play() throws -> [[VirtualBand.Sounded]] {
      var band = VirtualBand(players: 5, seed: 11, loss: 0.2)
      try band.command(3) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .seconds(3))
      return band.players.flatMap(\.runs)
    }
    #expect(try play() == play())
  }
}

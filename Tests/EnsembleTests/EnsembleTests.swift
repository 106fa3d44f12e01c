import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Testing

/// Each run's steps go up one by one: none lost, none doubled, none out of order.
private func expectEveryStep(_ runs: [[VirtualBand.Sounded]], _ label: String) {
  for run in runs {
    for (a, b) in zip(run, run.dropFirst()) {
      #expect(b.step.index == a.step.index + 1, "\(label)")
      #expect(b.at > a.at, "\(label)")
    }
  }
}

@Suite struct EnsembleTests {
  @Test(arguments: UInt64(1)...30) func oneStartsTheOthersPlayInStep(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed, loss: Double(seed % 3) * 0.05)
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    try band.command(1) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    let master = band.players[1].runs[0]
    #expect(master.first?.step == Step(0) && master.count >= 79)
    for (n, player) in band.players.enumerated() {
      #expect(player.ensemble.role == .idle, "seed \(seed)")
      #expect(player.runs.count == 1, "seed \(seed)")
      expectEveryStep(player.runs, "seed \(seed), player \(n)")
      #expect(player.runs[0].last?.step == master.last?.step, "seed \(seed)")
      for sounded in player.runs[0] {
        let same = try #require(master.first { $0.step == sounded.step })
        // Probes take 0.1...3 ms a way, so the best of them knows the offset within 1.5 ms.
        #expect((sounded.at - same.at).magnitude < .microseconds(1500), "seed \(seed), player \(n), \(sounded.step)")
      }
    }
  }

  @Test(arguments: UInt64(1)...30) func aTempoChangeKeepsEveryStep(seed: UInt64) throws {
    var band = VirtualBand(players: 3, seed: seed, loss: 0.1)
    let slow = try Tempo(bpm: 60)
    let fast = try Tempo(bpm: 180)
    try band.command(0) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .milliseconds(3217))
    // A second wish before the first has come about waits for it.
    try band.command(0) { try $0.change(tempo: fast, at: $1) }
    band.run(for: .milliseconds(20))
    try band.command(0) { try $0.change(tempo: slow, at: $1) }
    band.run(for: .milliseconds(10))
    try band.command(0) { try $0.change(tempo: fast, at: $1) }
    band.run(for: .seconds(5))
    #expect(band.players[0].ensemble.tempo(at: band.own(0)) == fast)
    for (n, player) in band.players.enumerated() {
      expectEveryStep(player.runs, "seed \(seed), player \(n)")
      // Of a thousand, one misses all three tellings of the start; it is told again when its presence shows that.
      #expect(player.runs.count == 1 && player.runs[0][0].step <= Step(1), "seed \(seed)")
      let end = player.runs[0].suffix(2)
      let spacing = end.last!.at - end.first!.at
      #expect((spacing - Nanoseconds(fast.nanosecondsPerQuarter / 4)).magnitude < .milliseconds(1), "seed \(seed)")
    }
  }

  @Test(arguments: UInt64(1)...60) func twoStartsAtOnceSettleToOneMasterAndOneDownbeat(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    // Unheard of the first: within the time a message takes.
    band.players[2].ensemble.advance(to: band.own(2))
    try band.command(2) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(4))
    let masters = band.players.indices.filter { band.players[$0].ensemble.role == .master }
    #expect(masters.count == 1, "seed \(seed)")
    let winner = try #require(masters.first)
    // Same term, so the lower identity won.
    #expect(band.identity(winner) == min(band.identity(0), band.identity(2)), "seed \(seed)")
    for (n, player) in band.players.enumerated() where n != winner {
      #expect(player.ensemble.role == .follower(of: band.identity(winner)), "seed \(seed)")
      let heard = player.runs.flatMap { $0 }
      #expect(heard.filter { $0.step == Step(0) }.count == 1, "seed \(seed), player \(n)")
      for (a, b) in zip(heard, heard.dropFirst()) { #expect(b.step.index == a.step.index + 1, "seed \(seed)") }
    }
  }

  @Test func theLoserHavingSoundedItsDownbeatDoesNotRepeatIt() throws {
    // Slow network: the loser hears of the winner when its own downbeat has sounded.
    for seed in UInt64(1)...40 {
      var band = VirtualBand(players: 2, seed: seed)
      band.delay = 90_000_000...120_000_000
      let (winner, loser) = band.identity(0) < band.identity(1) ? (0, 1) : (1, 0)
      try band.command(loser) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .milliseconds(80))
      try band.command(winner) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .seconds(4))
      #expect(band.players[winner].ensemble.role == .master, "seed \(seed)")
      let heard = band.players[loser].runs.flatMap { $0 }
      #expect(heard.filter { $0.step == Step(0) }.count == 1, "seed \(seed)")
      for (a, b) in zip(heard, heard.dropFirst()) { #expect(b.step.index == a.step.index + 1, "seed \(seed)") }
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
    // Now anyone may, and goes on where it stopped.
    let place = band.players[1].ensemble.position
    #expect(place == band.players[0].ensemble.position && place > Step(0))
    try band.command(1) { try $0.continue(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.players[0].ensemble.role == .follower(of: band.identity(1)))
    #expect(band.players[0].runs[1].first?.step == place)
  }

  @Test func stopAtAnInstantPlaysExactlyTheTicksDueBefore() throws {
    for bpm in [20.0, 61, 120, 137.3, 299.7, 999] {
      let tempo = try Tempo(bpm: bpm)
      var ensemble = EnsembleState(identity: Identity(1))
      let now = Instant(nanoseconds: 55)
      try ensemble.start(tempo: tempo, at: now)
      let downbeat = now + ensemble.lead
      try ensemble.stop(at: downbeat + .seconds(60), now: now)
      var cursor = TickCursor(lead: .zero)
      var ticks: Int64 = 0
      while cursor.take(in: ensemble.schedule, at: cursor.due(in: ensemble.schedule)) != nil { ticks += 1 }
      #expect(ticks == Int64((bpm * 24).rounded(.up)), "\(bpm)")
    }
  }

  /// A follower that missed all three tellings of the end within the lead overruns, but not for long.
  @Test(arguments: UInt64(1)...20) func nobodyMissesTheEnd(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed, loss: 0.5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(3))
    for player in band.players { #expect(player.ensemble.role == .idle, "seed \(seed)") }
  }

  @Test func followersCoastForTwoSecondsThenStop() throws {
    var band = VirtualBand(players: 2, seed: 5)
    band.players[1].ensemble.masterLoss = .stop
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.connected = { _, _ in false }
    let gone = band.now
    band.run(for: .seconds(4))
    let heard = band.players[1].runs[0]
    expectEveryStep([heard], "coasting")
    #expect(heard.last!.at - gone > .milliseconds(1800) && heard.last!.at - gone < .milliseconds(2200))
    #expect(band.players[1].events.contains(.masterLost(band.identity(0))))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func anEndIsBroughtForwardButNotPutOff() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 0)
    try ensemble.start(tempo: .standard, at: now)
    try ensemble.stop(at: now + .seconds(60), now: now)
    try ensemble.stop(now: now + .seconds(10))
    let end = ensemble.schedule.end
    #expect(ensemble.schedule.deadline(end) < now + .milliseconds(10_125))
    try ensemble.stop(now: now + .milliseconds(10_080))
    #expect(ensemble.schedule.end == end)
  }

  @Test func aLateJoinerPlaysInPhaseOnTheNextStep() throws {
    var band = VirtualBand(players: 3, seed: 7)
    band.connected = { $0 != 2 && $1 != 2 }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .milliseconds(5040))
    band.connected = { _, _ in true }
    let joined = band.now
    band.join(0, 2)
    band.run(for: .seconds(3))
    let heard = band.players[2].runs[0]
    expectEveryStep([heard], "late")
    #expect(heard[0].at - joined < .milliseconds(300))
    let same = try #require(band.players[0].runs[0].first { $0.step == heard[0].step })
    #expect((same.at - heard[0].at).magnitude < .milliseconds(2))
  }

  /// A timeline message that was overtaken by the end of its rhythm does not begin it again.
  @Test func anOvertakenStatementRevivesNothing() throws {
    var band = VirtualBand(players: 2, seed: 13)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let effects = band.players[0].outputs
    let early = try #require(
      effects.lazy.compactMap {
        if case .timelineMessage(let timelineMessage, _, _) = $0 { timelineMessage } else { nil }
      }.first)
    band.run(for: .seconds(1))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    #expect(band.players[1].ensemble.role == .idle && early.end == Tick(.max))
    band.players[1].ensemble.received(early, from: band.identity(0), at: band.own(1))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func nobodySpeaksForAnother() throws {
    var band = VirtualBand(players: 3, seed: 9)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    let forged = TimelineMessage(
      claim: Claim(term: 1, identity: band.identity(0)), revision: 99, start: Tick(0), end: Tick(1),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))
    let schedule = band.players[1].ensemble.schedule
    band.players[1].ensemble.received(forged, from: band.identity(2), at: band.own(1))
    #expect(band.players[1].ensemble.rejected == 1 && band.players[1].ensemble.schedule == schedule)
    // Nor takes all terms there are.
    let greedy = TimelineMessage(
      claim: Claim(term: .max, identity: band.identity(2)), revision: 1, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))
    band.players[1].ensemble.received(greedy, from: band.identity(2), at: band.own(1))
    #expect(band.players[1].ensemble.rejected == 2 && band.players[1].ensemble.highestTerm == 1)
  }

  @Test func theSameEventsGiveTheSameState() throws {
    func play() throws -> [[VirtualBand.Sounded]] {
      var band = VirtualBand(players: 5, seed: 11, loss: 0.2)
      try band.command(3) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .seconds(3))
      return band.players.flatMap(\.runs)
    }
    #expect(try play() == play())
  }
}

import Ensemble
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// Several masters play at once, after simultaneous starts or a network partition, until one of them remains. Of two claims
/// with the same term, the one with the lower identity is the higher claim.
@Suite struct PartitionTests {
  /// Two to sixteen players start within the network delay. One master remains, and every player begins at step 0.
  @Test(arguments: [2, 3, 16]) func simultaneousStartsLeaveOneMaster(count: Int) throws {
    // A band of 16 players has 120 pairs of peers and is slow to simulate, so it gets fewer seeds.
    for seed in UInt64(1)...(count == 16 ? 4 : 20) {
      var band = VirtualBand(players: count, seed: seed)
      band.probeInterval = .milliseconds(50)
      // All claims have the same term. The lowest identity, which starts last, has the highest claim.
      for n in band.successionOrder.reversed() { try band.command(n) { try $0.start(tempo: .standard, at: $1) } }
      band.run(for: .seconds(4))
      #expect(band.masters == [band.successionOrder[0]], "seed \(seed)")
      let causes = band.players.flatMap(\.events).compactMap {
        if case .outranked(_, let cause) = $0 { cause } else { nil }
      }
      #expect(!causes.isEmpty && causes.allSatisfy { $0 == .simultaneousStart }, "seed \(seed)")
      for n in band.players.indices {
        let steps = band.soundedSteps(of: n)
        #expect(steps.first?.step == Step(0), "seed \(seed), player \(n)")
        for (a, b) in zip(steps, steps.dropFirst()) { #expect(b.step == a.step + 1 && b.at > a.at, "seed \(seed)") }
        // The last step of every player is on time by the schedule of the master. The limit is for errors of the clock estimates.
        let last = try #require(steps.last)
        #expect(
          (last.at - band.dueTime(of: last.step, onScheduleOf: band.successionOrder[0])).magnitude < .milliseconds(3),
          "seed \(seed)")
      }
    }
  }

  /// A network is divided into two or three parts for a while. Each part plays on, some at another tempo. After the parts
  /// reconnect, one rhythm remains, and no player has missed a step of any rhythm.
  @Test(arguments: UInt64(1)...18) func oneMasterRemainsAfterAPartition(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let count = Int(random.integer(in: 2...8))
    let partCount = min(count, seed % 3 == 0 ? 3 : 2)
    // The length of the partition in seconds.
    let seconds = ([1, 2, 3, 10, 30, 120] as [Int64])[Int(seed % 6)]
    var band = VirtualBand(players: count, seed: seed)
    band.probeInterval = .milliseconds(200)
    for n in band.players.indices { band.players[n].skew = random.integer(in: -100...100) }
    // The part of each player. No part is empty; the sizes are random.
    let part = (0..<count).map { $0 < partCount ? $0 : Int(random.integer(in: 0...Int64(partCount - 1))) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    band.connected = { part[$0] == part[$1] }
    band.run(for: .milliseconds(seconds * 1000 / 2))
    if seed % 2 == 0 {
      // If player 0 is a master, it changes its tempo. Every other master does so with a probability of one half.
      for n in band.masters where random.integer(in: 0...1) == 1 || n == 0 {
        let tempo = try Tempo(bpm: Double(random.integer(in: 90...200)))
        try band.command(n) { try $0.change(tempo: tempo, at: $1) }
      }
    }
    band.run(for: .milliseconds(seconds * 1000 / 2))
    if seconds > 3 {
      // The parts have had enough time for a takeover. Each part has one master.
      #expect(band.masters.count == partCount, "seed \(seed)")
      #expect(Set(band.masters.map { part[$0] }).count == partCount, "seed \(seed)")
    }
    let reconnection = band.now
    band.connected = { _, _ in true }
    band.run(for: .seconds(1))
    #expect(band.masters.count == 1, "seed \(seed)")
    let master = try #require(band.masters.first)
    for n in band.players.indices where n != master {
      #expect(band.role(n) == .follower(of: band.identity(master)), "seed \(seed)")
    }
    // A clock slews by at most 0.4 %. The largest error that is slewed, a step of 167 ms at 90 BPM (the slowest tempo), takes 42 s.
    band.run(for: .seconds(45))
    for n in band.players.indices {
      #expect(band.faults(n) == [], "seed \(seed): \(band.faults(n).first ?? "")")
      // The only jump is the entry into the new rhythm at a bar.
      #expect(band.players[n].ensemble.clockJumps <= 1, "seed \(seed)")
      // At the end, all players are in phase.
      let last = try #require(band.soundedSteps(of: n).last)
      let error = last.at - band.dueTime(of: last.step, onScheduleOf: master)
      #expect(error.magnitude < .milliseconds(2), "seed \(seed), player \(n): \(error.microseconds) us")
      #expect(band.now - last.at < .seconds(1), "seed \(seed)")
      // The old rhythm plays until the bar at which the new rhythm begins. No silence is therefore as long as two steps of 167 ms.
      for (a, b) in zip(band.soundedSteps(of: n), band.soundedSteps(of: n).dropFirst()) where b.at > reconnection {
        #expect(b.at - a.at < .milliseconds(300), "seed \(seed), player \(n): \(a.step), \(b.step)")
      }
    }
  }

  /// Creates two disconnected players, each with its own rhythm, and connects them. Player 1 starts `startDifference` after
  /// player 0. On return, both are still masters. The player with the higher claim is `winner`: it will remain the master, and
  /// `loser` will follow it.
  private func reconnectedMasters(
    startDifference: Nanoseconds, seed: UInt64 = 1
  ) throws -> (band: VirtualBand, winner: Int, loser: Int) {
    var band = VirtualBand(players: 2, seed: seed)
    band.connected = { _, _ in false }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: startDifference)
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    // The players are connected between two steps of player 1. The first step of player 1 sounds after the lead time of 100 ms, and 5210 ms
    // is not a multiple of 125 ms, the length of a step.
    band.run(for: .milliseconds(5310))
    band.connected = { _, _ in true }
    let winner = band.identity(0) < band.identity(1) ? 0 : 1
    return (band, winner, 1 - winner)
  }

  @Test(arguments: [Int64(20), 60, 110]) func rhythmsLessThanAStepApartMergeInaudibly(milliseconds: Int64) throws {
    var (band, winner, loser) = try reconnectedMasters(startDifference: .milliseconds(milliseconds))
    let reconnection = band.now
    // A clock slews by at most 0.4 %, so the largest difference, 110 ms, takes 28 s.
    band.run(for: .seconds(35))
    #expect(band.masters == [winner] && band.players[loser].runs.count == 2 && band.faults(loser) == [])
    #expect(band.players[loser].continues == [false, true] && band.players[loser].ensemble.clockJumps == 0)
    let steps = band.soundedSteps(of: loser).filter { $0.at > reconnection }
    for (a, b) in zip(steps, steps.dropFirst()) {
      // A step lasts 125 ms. The slewing changes this by at most 0.4 %, or 500 us. The limit, 0.5 %, also allows for the variation of
      // the clock estimates.
      #expect((b.at - a.at - .milliseconds(125)).magnitude < .microseconds(625))
    }
    #expect((steps.last!.at - band.dueTime(of: steps.last!.step, onScheduleOf: winner)).magnitude < .milliseconds(1))
  }

  @Test(arguments: [Int64(300), 700, 1_000, 1_900, 3_333]) func outrankedMasterMoreThanAStepAwayJoinsAtABar(
    milliseconds: Int64
  ) throws {
    var (band, winner, loser) = try reconnectedMasters(startDifference: .milliseconds(milliseconds))
    let reconnection = band.now
    band.run(for: .seconds(5))
    #expect(band.masters == [winner] && band.faults(loser) == [])
    #expect(band.players[loser].runs.count == 2 && band.players[loser].continues == [false, false])
    #expect(band.players[loser].ensemble.clockJumps == 1)
    let (before, after) = (band.players[loser].runs[0], band.players[loser].runs[1])
    let join = try #require(after.first)
    // A bar has 16 steps and lasts 2 s. The limit adds 300 ms for the messages and clock probes after the reconnection.
    #expect(join.step.index % 16 == 0 && join.at - reconnection < .milliseconds(2300))
    for sounded in after {
      #expect((sounded.at - band.dueTime(of: sounded.step, onScheduleOf: winner)).magnitude < .milliseconds(2))
    }
    // The old rhythm plays until the new one begins: the silence is hardly longer than a step of 125 ms.
    #expect(join.at - before.last!.at < .milliseconds(140))
  }

  /// While the outranked master waits for a bar of the new rhythm, the new rhythm ends, or the new master crashes. If the new
  /// rhythm ends, the outranked master stops as well. If the new master crashes, the outranked master leads again and continues
  /// its old run.
  @Test(arguments: [true, false]) func newRhythmIsLostBeforeTheOutrankedMasterJoins(ends: Bool) throws {
    var band = VirtualBand(players: 2, seed: 3)
    band.connected = { _, _ in false }
    let (winner, loser) = (band.successionOrder[0], band.successionOrder[1])
    // At 20 BPM, a bar lasts 12 s. The new rhythm is lost 4.5 s after its start, so the outranked master still waits for its second
    // bar. A step lasts 750 ms. The rhythms begin 1.7 s apart, so the outranked master cannot slew to the new rhythm.
    let slow = try Tempo(bpm: 20)
    try band.command(loser) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .milliseconds(1700))
    try band.command(winner) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .seconds(4))
    band.connected = { _, _ in true }
    band.run(for: .milliseconds(500))
    let loss = band.now
    #expect(band.role(loser) == .follower(of: band.identity(winner)) && band.players[loser].runs.count == 1)
    if ends { try band.command(winner) { try $0.stop(now: $1) } } else { band.crash(winner) }
    band.run(for: .seconds(12))
    #expect(band.faults(loser) == [])
    if ends {
      #expect(band.masters == [] && band.soundedSteps(of: loser).last!.at - loss < .seconds(1))
    } else {
      #expect(band.masters == [loser] && band.players[loser].continues == [false, true])
      #expect(band.now - band.soundedSteps(of: loser).last!.at < .seconds(1))
    }
  }

  /// A timeline message arrives long after the end of its rhythm. The receiver follows the sender for a short time. It does not
  /// take the rhythm over, because the presence of the sender shows that the sender does not lead.
  @Test func endedRhythmIsNotTakenOver() throws {
    var band = VirtualBand(players: 3, seed: 4)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let delayed = try #require(
      band.players[0].outputs.lazy.compactMap {
        if case .send(.timeline(let message), _, _) = $0 { message } else { nil }
      }.first)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    try band.command(0) { try $0.stop(now: $1) }
    // The master repeats the end of a rhythm for two seconds. After this time, it sends no more messages about the rhythm.
    band.run(for: .seconds(4))
    // The message belongs to the first of the two rhythms. Player 0 keeps only the timeline message of the second rhythm, so it
    // cannot inform player 1 that the first rhythm has ended.
    let sender = band.identity(0)
    band.command(1) { $0.received(delayed, from: sender, at: $1) }
    #expect(band.role(1) == .follower(of: sender))
    band.run(for: .seconds(4))
    #expect(band.masters == [] && band.role(1) == .idle && band.role(2) == .idle)
  }

  /// Two groups reconnect. The rhythm with the higher claim has just ended. The other rhythm continues, and all peers
  /// follow it.
  @Test(arguments: UInt64(1)...6) func endedRhythmWithAHigherClaimStopsNoOtherRhythm(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed)
    let (winner, loser) = (band.successionOrder[0], band.successionOrder[1])
    // Each group has two players.
    let isInWinningGroup = (0..<4).map { $0 == winner || $0 == band.successionOrder[2] }
    band.connected = { isInWinningGroup[$0] == isInWinningGroup[$1] }
    try band.command(winner) { try $0.start(tempo: .standard, at: $1) }
    try band.command(loser) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(4))
    try band.command(winner) { try $0.stop(now: $1) }
    // The rhythm ends 100 ms (the lead time) after the command. The groups are connected 60 to 360 ms after this end.
    band.run(for: .milliseconds(100 + Int64(seed) * 60))
    band.connected = { _, _ in true }
    band.run(for: .seconds(3))
    #expect(band.masters == [loser], "seed \(seed)")
    for n in [loser, band.successionOrder[3]] {
      #expect(band.players[n].runs.count == 1 && band.faults(n) == [], "seed \(seed), player \(n)")
      // The rhythm still plays: a step lasts 125 ms.
      #expect(band.now - band.soundedSteps(of: n).last!.at < .milliseconds(200), "seed \(seed)")
    }
    for n in band.players.indices where n != loser {
      #expect(band.role(n) == .follower(of: band.identity(loser)), "seed \(seed)")
    }
  }

  /// A message that is news becomes part of the recovery journal, which repairs the loss of its packet. A repeated timeline
  /// message is not news, because the next repetition repairs its loss.
  @Test func onlyTheFirstCopyOfATimelineMessageIsNews() throws {
    var band = VirtualBand(players: 2, seed: 5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let newsFlags = band.players[0].outputs.compactMap {
      if case .send(.timeline, to: nil, let isNews) = $0 { isNews } else { nil }
    }
    // The message is repeated eleven times in the first second (``EnsembleState/repeats(after:)``).
    #expect(newsFlags.count > 8 && newsFlags.first == true && newsFlags.dropFirst().allSatisfy { !$0 })
  }

  /// A follower learns late that the tempo has fallen, and is more than a step ahead. It plays no step twice.
  @Test func followerAheadOfItsMasterWaits() throws {
    var band = VirtualBand(players: 2, seed: 6)
    try band.command(0) { try $0.start(tempo: Tempo(bpm: 200), at: $1) }
    band.run(for: .seconds(5))
    band.connected = { _, _ in false }
    try band.command(0) { try $0.change(tempo: Tempo(bpm: 60), at: $1) }
    // The change applies after the lead time of 100 ms. In the other 140 ms, the follower plays 11 ticks at 200 BPM, and the master
    // plays 3 ticks at 60 BPM.
    band.run(for: .milliseconds(240))
    let ticksAhead =
      band.players[1].ensemble.schedule.tick(at: band.localTime(of: 1))
      - band.players[0].ensemble.schedule.tick(at: band.localTime(of: 0))
    #expect(ticksAhead > Tick.perStep && ticksAhead < 2 * Tick.perStep)
    band.connected = { _, _ in true }
    band.run(for: .seconds(8))
    #expect(band.players[1].runs.count == 1 && band.faults(1) == [])
    let (follower, master) = (try #require(band.soundedSteps(of: 1).last), try #require(band.soundedSteps(of: 0).last))
    #expect(follower.step == master.step && (follower.at - master.at).magnitude < .milliseconds(20))
  }

  /// A follower learns of two tempo changes at once, and is far ahead of the master. A follower that is ahead waits, but for at
  /// most two steps. The two changes together do not make the follower wait longer, and it repeats no step within a run.
  @Test(arguments: [112.0, 100]) func followerLearnsOfTwoTempoChangesAtOnce(bpm: Double) throws {
    var band = VirtualBand(players: 2, seed: 6)
    try band.command(0) { try $0.start(tempo: Tempo(bpm: 129), at: $1) }
    band.run(for: .seconds(5))
    band.connected = { _, _ in false }
    var messages: [TimelineMessage] = []
    for tempo in [bpm, 78] {
      try band.command(0) { try $0.change(tempo: Tempo(bpm: tempo), at: $1) }
      band.run(for: .milliseconds(600))
      let sent = band.players[0].outputs.compactMap {
        if case .send(.timeline(let message), _, isNews: true) = $0 { message } else { nil }
      }
      messages.append(try #require(sent.last))
    }
    let master = band.identity(0)
    for message in messages { band.command(1) { $0.received(message, from: master, at: $1) } }
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.faults(1) == [])
    let steps = band.soundedSteps(of: 1)
    let step = try Nanoseconds(Tempo(bpm: 78).nanosecondsPerQuarter / Step.perQuarter)
    for (a, b) in zip(steps, steps.dropFirst()) { #expect(b.at - a.at < step + step + .milliseconds(1)) }
    let (follower, leader) = (try #require(steps.last), try #require(band.soundedSteps(of: 0).last))
    #expect(follower.step == leader.step && (follower.at - leader.at).magnitude < .milliseconds(20))
  }

  /// A peer whose presence shows that it does not know the rhythm, or its end, gets the timeline message, at most ten times
  /// per second. A peer whose rhythm gate is closed does not get it.
  @Test func outdatedPeerGetsTheTimelineMessage() throws {
    var band = VirtualBand(players: 2, seed: 5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.connected = { _, _ in false }
    let (other, claim) = (band.identity(1), band.players[0].ensemble.claim)
    /// Reports `claim` as the claim of the other peer every 10 ms for a second. Returns the number of timeline messages that
    /// player 0 sends to the other peer in this second.
    func corrections(for claim: Claim?, gates: GateSet = .all) -> Int {
      for n in 0...100 {
        // The first presence replaces that of the last call, and shows that the other peer is present.
        if n == 1 {
          band.run(for: .milliseconds(100))
          band.players[0].outputs = []
        }
        band.command(0) {
          $0.received(
            Presence(identity: other, claim: claim, channel: nil, gates: gates, takesOver: true), from: other, at: $1)
          $0.heard(other, at: $1)
        }
        band.run(for: .milliseconds(10))
      }
      return band.players[0].outputs.count { if case .send(.timeline, to: other, _) = $0 { true } else { false } }
    }
    // The other peer knows no rhythm, or an older one, or one whose master is not in session.
    #expect(corrections(for: nil) == 10 && corrections(for: Claim(term: 0, identity: other)) == 10)
    #expect(corrections(for: Claim(term: 2, identity: Identity(1))) == 10)
    // The other peer knows the current rhythm, or a newer one.
    #expect(corrections(for: claim) == 0 && corrections(for: Claim(term: 2, identity: other)) == 0)
    #expect(corrections(for: nil, gates: .none) == 0)
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(5))
    // The rhythm has ended. A peer that still reports its claim has missed the end.
    #expect(corrections(for: claim) == 10 && corrections(for: nil) == 0)
  }
}

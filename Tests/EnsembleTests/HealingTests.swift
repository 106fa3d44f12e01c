import Ensemble
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// Several play at once, and find each other.
@Suite struct HealingTests {
  /// Two to sixteen start within the delay of the network: one master, one downbeat.
  @Test(arguments: [2, 3, 16]) func allStartAtOnce(count: Int) throws {
    for seed in UInt64(1)...(count == 16 ? 4 : 20) {
      var band = VirtualBand(players: count, seed: seed)
      band.pace = .milliseconds(50)
      for n in band.line.reversed() { try band.command(n) { try $0.start(tempo: .standard, at: $1) } }
      band.run(for: .seconds(4))
      #expect(band.masters == [band.line[0]], "seed \(seed)")
      for n in band.players.indices {
        let heard = band.heard(n)
        #expect(heard.first?.step == Step(0), "seed \(seed), player \(n)")
        for (a, b) in zip(heard, heard.dropFirst()) { #expect(b.step == a.step + 1 && b.at > a.at, "seed \(seed)") }
        let last = try #require(heard.last)
        #expect((last.at - band.due(last.step, by: band.line[0])).magnitude < .milliseconds(3), "seed \(seed)")
      }
    }
  }

  /// The network falls apart into two or three parts for a while, each of which plays on, at another tempo perhaps; when it
  /// is whole again one rhythm is left, and nobody has lost a step of any.
  @Test(arguments: UInt64(1)...18) func aNetworkThatFellApartHeals(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let count = Int(random.integer(in: 2...8))
    let parts = min(count, seed % 3 == 0 ? 3 : 2)
    let seconds = ([1, 2, 3, 10, 30, 120] as [Int64])[Int(seed % 6)]
    var band = VirtualBand(players: count, seed: seed)
    band.pace = .milliseconds(200)
    for n in band.players.indices { band.players[n].skew = random.integer(in: -100...100) }
    // Everybody has a part; the parts' sizes are anything.
    let part = (0..<count).map { $0 < parts ? $0 : Int(random.integer(in: 0...Int64(parts - 1))) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(10))
    band.connected = { part[$0] == part[$1] }
    band.run(for: .milliseconds(seconds * 1000 / 2))
    if seed % 2 == 0 {
      for n in band.masters where random.integer(in: 0...1) == 1 || n == 0 {
        let tempo = try Tempo(bpm: Double(random.integer(in: 90...200)))
        try band.command(n) { try $0.change(tempo: tempo, at: $1) }
      }
    }
    band.run(for: .milliseconds(seconds * 1000 / 2))
    if seconds > 3 {
      // Each part has its master.
      #expect(band.masters.count == parts, "seed \(seed)")
      #expect(Set(band.masters.map { part[$0] }).count == parts, "seed \(seed)")
    }
    let whole = band.now
    band.connected = { _, _ in true }
    band.run(for: .seconds(1))
    #expect(band.masters.count == 1, "seed \(seed)")
    let master = try #require(band.masters.first)
    for n in band.players.indices where n != master {
      #expect(band.role(n) == .follower(of: band.identity(master)), "seed \(seed)")
    }
    band.run(for: .seconds(45))
    for n in band.players.indices {
      #expect(band.faults(n) == [], "seed \(seed): \(band.faults(n).first ?? "")")
      #expect(band.players[n].ensemble.clockJumps <= 1, "seed \(seed)")
      // In the end all play as one.
      let last = try #require(band.heard(n).last)
      let off = last.at - band.due(last.step, by: master)
      #expect(off.magnitude < .milliseconds(2), "seed \(seed), player \(n): \(off.microseconds) us")
      #expect(band.now - last.at < .seconds(1), "seed \(seed)")
      // Silence is never longer than a step and the bar that is waited for.
      for (a, b) in zip(band.heard(n), band.heard(n).dropFirst()) where b.at > whole {
        #expect(b.at - a.at < .milliseconds(300), "seed \(seed), player \(n): \(a.step), \(b.step)")
      }
    }
  }

  /// Two bands, `apart` from each other, meet: those who give way.
  private func meeting(apart: Nanoseconds, seed: UInt64 = 1) throws -> (band: VirtualBand, winner: Int, loser: Int) {
    var band = VirtualBand(players: 2, seed: seed)
    band.connected = { _, _ in false }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: apart)
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .milliseconds(5310))
    band.connected = { _, _ in true }
    let winner = band.identity(0) < band.identity(1) ? 0 : 1
    return (band, winner, 1 - winner)
  }

  @Test(arguments: [Int64(20), 60, 110]) func withinAStepNobodyHearsIt(milliseconds: Int64) throws {
    var (band, winner, loser) = try meeting(apart: .milliseconds(milliseconds))
    let met = band.now
    band.run(for: .seconds(35))
    #expect(band.masters == [winner] && band.players[loser].runs.count == 2 && band.faults(loser) == [])
    #expect(band.players[loser].continues == [false, true] && band.players[loser].ensemble.clockJumps == 0)
    let heard = band.heard(loser).filter { $0.at > met }
    for (a, b) in zip(heard, heard.dropFirst()) {
      // Half a percent of a step.
      #expect((b.at - a.at - .milliseconds(125)).magnitude < .microseconds(625))
    }
    #expect((heard.last!.at - band.due(heard.last!.step, by: winner)).magnitude < .milliseconds(1))
  }

  @Test(arguments: [Int64(300), 700, 1_000, 1_900, 3_333]) func furtherOffItJoinsOnTheBar(milliseconds: Int64) throws {
    var (band, winner, loser) = try meeting(apart: .milliseconds(milliseconds))
    let met = band.now
    band.run(for: .seconds(5))
    #expect(band.masters == [winner] && band.faults(loser) == [])
    #expect(band.players[loser].runs.count == 2 && band.players[loser].continues == [false, false])
    #expect(band.players[loser].ensemble.clockJumps == 1)
    let (before, after) = (band.players[loser].runs[0], band.players[loser].runs[1])
    let join = try #require(after.first)
    #expect(join.step.index % 16 == 0 && join.at - met < .milliseconds(2300))
    for sounded in after { #expect((sounded.at - band.due(sounded.step, by: winner)).magnitude < .milliseconds(2)) }
    // The old rhythm has gone on until there.
    #expect(join.at - before.last!.at < .milliseconds(140))
  }

  /// While it waits for the bar the rhythm it is to join ends, or loses its master.
  @Test(arguments: [true, false]) func theRhythmItWaitsForVanishes(ends: Bool) throws {
    var band = VirtualBand(players: 2, seed: 3)
    band.connected = { _, _ in false }
    let (winner, loser) = (band.line[0], band.line[1])
    let slow = try Tempo(bpm: 20)
    try band.command(loser) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .milliseconds(1700))
    try band.command(winner) { try $0.start(tempo: slow, at: $1) }
    band.run(for: .seconds(4))
    band.connected = { _, _ in true }
    band.run(for: .milliseconds(500))
    let met = band.now
    #expect(band.role(loser) == .follower(of: band.identity(winner)) && band.players[loser].runs.count == 1)
    if ends { try band.command(winner) { try $0.stop(now: $1) } } else { band.crash(winner) }
    band.run(for: .seconds(12))
    #expect(band.faults(loser) == [])
    if ends {
      #expect(band.masters == [] && band.heard(loser).last!.at - met < .seconds(1))
    } else {
      #expect(band.masters == [loser] && band.players[loser].continues == [false, true])
      #expect(band.now - band.heard(loser).last!.at < .seconds(1))
    }
  }

  /// What has been told does not come back: a timeline message that was long under way is not a rhythm.
  @Test func aRhythmThatHasEndedIsNotTakenOver() throws {
    var band = VirtualBand(players: 3, seed: 4)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let old = try #require(
      band.players[0].outputs.lazy.compactMap { if case .timelineMessage(let told, _, _) = $0 { told } else { nil } }
        .first)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    try band.command(0) { try $0.stop(now: $1) }
    // Its end is told for two seconds.
    band.run(for: .seconds(4))
    // Of the rhythm before the last, which its master knows nothing of any more.
    let sender = band.identity(0)
    band.command(1) { $0.received(old, from: sender, at: $1) }
    #expect(band.role(1) == .follower(of: sender))
    band.run(for: .seconds(4))
    #expect(band.masters == [] && band.role(1) == .idle && band.role(2) == .idle)
  }

  /// Of two bands that meet the one with the better claim has just stopped: the other plays on, and all with it.
  @Test(arguments: UInt64(1)...6) func aClaimThatHasEndedStopsNobody(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed)
    let (winner, loser) = (band.line[0], band.line[1])
    // Two play with each.
    let side = (0..<4).map { $0 == winner || $0 == band.line[2] }
    band.connected = { side[$0] == side[$1] }
    try band.command(winner) { try $0.start(tempo: .standard, at: $1) }
    try band.command(loser) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(4))
    try band.command(winner) { try $0.stop(now: $1) }
    band.run(for: .milliseconds(100 + Int64(seed) * 60))
    band.connected = { _, _ in true }
    band.run(for: .seconds(3))
    #expect(band.masters == [loser], "seed \(seed)")
    for n in [loser, band.line[3]] {
      #expect(band.players[n].runs.count == 1 && band.faults(n) == [], "seed \(seed), player \(n)")
      #expect(band.now - band.heard(n).last!.at < .milliseconds(200), "seed \(seed)")
    }
    for n in band.players.indices where n != loser {
      #expect(band.role(n) == .follower(of: band.identity(loser)), "seed \(seed)")
    }
  }

  /// What is new goes through the journal, what is told again does not.
  @Test func aStatementIsNewsOnce() throws {
    var band = VirtualBand(players: 2, seed: 5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let news = band.players[0].outputs.compactMap {
      if case .timelineMessage(_, to: nil, let isNews) = $0 { isNews } else { nil }
    }
    #expect(news.count > 8 && news.first == true && news.dropFirst().allSatisfy { !$0 })
  }

  /// Who hears late that the tempo has fallen, and is ahead by more than a step, plays none twice.
  @Test func whoIsAheadWaits() throws {
    var band = VirtualBand(players: 2, seed: 6)
    try band.command(0) { try $0.start(tempo: Tempo(bpm: 200), at: $1) }
    band.run(for: .seconds(5))
    band.connected = { _, _ in false }
    try band.command(0) { try $0.change(tempo: Tempo(bpm: 60), at: $1) }
    band.run(for: .milliseconds(240))
    let ahead =
      band.players[1].ensemble.schedule.tick(at: band.own(1)) - band.players[0].ensemble.schedule.tick(at: band.own(0))
    #expect(ahead > Tick.perStep && ahead < 2 * Tick.perStep)
    band.connected = { _, _ in true }
    band.run(for: .seconds(8))
    #expect(band.players[1].runs.count == 1 && band.faults(1) == [])
    let (mine, theirs) = (try #require(band.heard(1).last), try #require(band.heard(0).last))
    #expect(mine.step == theirs.step && (mine.at - theirs.at).magnitude < .milliseconds(20))
  }

  /// Who shows that it does not know the rhythm, or its end, is told of it, ten times a second at most; who would not
  /// follow is not told.
  @Test func whoIsBehindIsTold() throws {
    var band = VirtualBand(players: 2, seed: 5)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.connected = { _, _ in false }
    let (other, claim) = (band.identity(1), band.players[0].ensemble.claim)
    /// How often it is told in a second in which it says so every 10 ms.
    func told(_ said: Claim?, gates: GateSet = .all) -> Int {
      band.players[0].outputs = []
      for _ in 0..<100 {
        band.command(0) {
          $0.received(
            Presence(identity: other, claim: said, channel: nil, gates: gates, takesOver: true), from: other, at: $1)
        }
        band.run(for: .milliseconds(10))
      }
      return band.players[0].outputs.count { if case .timelineMessage(_, to: other, _) = $0 { true } else { false } }
    }
    #expect(told(nil) == 10 && told(Claim(term: 0, identity: other)) == 10)
    #expect(told(claim) == 0 && told(Claim(term: 2, identity: other)) == 0)
    #expect(told(nil, gates: .none) == 0)
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(5))
    #expect(told(claim) == 10 && told(nil) == 0)
  }
}

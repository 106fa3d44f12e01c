import Ensemble
import MIDI
import MusicalTime
import Testing

@Suite struct ActivityTests {
  private func total(_ company: VirtualBand, at n: Int) -> UInt8 {
    company.players[n].ensemble.totalActivity(at: company.own(n))
  }

  @Test(arguments: UInt64(1)...10) func everybodyPlaysByTheTotalFromTheFirstStepOn(seed: UInt64) throws {
    var company = try VirtualBand.playing(4, seed: seed, activity: [77])
    company.run(for: .seconds(3))
    for player in company.players {
      #expect(player.steps.count > 20 && player.steps.allSatisfy { $0.total == 77 }, "seed \(seed)")
    }
  }

  /// Whoever changes, whenever: all change layers at the same step, and that begins a beat.
  @Test(arguments: UInt64(1)...10) func allChangeLayersAtTheSameBeat(seed: UInt64) throws {
    var company = try VirtualBand.playing(4, seed: seed)
    company.run(for: .seconds(1))
    for _ in 0..<12 {
      let n = Int(company.random.integer(in: 0...3))
      let level = UInt8(company.random.integer(in: 0...40))
      company.setActivity(level, of: n)
      company.run(for: .milliseconds(company.random.integer(in: 50...700)))
    }
    company.run(for: .seconds(3))
    let reference = company.players[0].steps
    let changes = zip(reference, reference.dropFirst()).filter { $0.total != $1.total }.map(\.1.step.index)
    #expect(changes.count >= 5 && changes.allSatisfy { $0 % 4 == 0 }, "seed \(seed)")
    for player in company.players {
      #expect(player.steps.elementsEqual(reference, by: ==), "seed \(seed)")
    }
    let sum = company.players.reduce(0) { $0 + Int($1.ensemble.activity) }
    #expect(Int(reference.last!.total) == min(127, sum), "seed \(seed)")
  }

  /// The master's total is what the levels come to, 500 ms after any of them was told; and on its way no step is played by a
  /// total that nobody has decided.
  @Test(arguments: UInt64(1)...6) func theTotalIsRightInTimeWhateverIsLost(seed: UInt64) throws {
    let rule = ActivityRule.allCases[Int(seed % 3)]
    var company = try VirtualBand.playing(5, seed: seed, loss: 0.2, rule: rule)
    company.run(for: .seconds(2))
    for _ in 0..<8 {
      let n = Int(company.random.integer(in: 0...4))
      let level = UInt8(company.random.integer(in: 0...127))
      company.setActivity(level, of: n)
      // Smoothed for some seconds, told all the while.
      var levels: [UInt8] = []
      for _ in 0..<70 {
        company.run(for: .milliseconds(50))
        levels.append(rule.total(of: company.players.map(\.ensemble.activity)))
        let recent = levels.suffix(11)
        if levels.count > 11 {
          #expect((recent.min()!...recent.max()!).contains(total(company, at: 0)), "seed \(seed)")
        }
      }
      #expect(total(company, at: 0) == levels.last, "seed \(seed)")
      for n in company.players.indices { #expect(company.played(by: n) == levels.last, "seed \(seed), \(n)") }
    }
    // Of three copies one comes nearly always before its beat.
    for player in company.players {
      let totals = Dictionary(company.players[0].steps.map { ($0.step.index, $0.total) }) { $1 }
      let astray = player.steps.filter { totals[$0.step.index] != $0.total }
      #expect(astray.count * 50 < player.steps.count, "seed \(seed): \(astray.count) of \(player.steps.count)")
    }
  }

  @Test func aLevelIsToldOnChangeAndAtMostTwentyTimesASecond() throws {
    var company = try VirtualBand.playing(2, seed: 3)
    company.run(for: .seconds(2))
    #expect(company.players[1].sent.count == 1)
    for n in 0..<200 {
      company.setActivity(n % 2 == 0 ? 127 : 0, of: 1)
      company.run(for: .milliseconds(10))
    }
    company.run(for: .seconds(4))
    let sent = company.players[1].sent
    #expect(sent.count > 30 && sent.allSatisfy { $0.controller == 11 })
    for (a, b) in zip(sent, sent.dropFirst()) {
      #expect(b.at - a.at >= .milliseconds(50) && a.value != b.value)
    }
    // Nobody is told what they know already: three times each total.
    let totals = company.players[0].sent.filter { $0.controller == 7 }
    #expect(totals.count < 3 * 20)
  }

  @Test func whoLeavesOrFallsSilentDoesNotCount() throws {
    var company = try VirtualBand.playing(3, seed: 5, activity: [10, 20, 40])
    for n in 0..<3 { company.players[n].ensemble.masterLoss = .stop }
    company.run(for: .seconds(2))
    #expect(total(company, at: 0) == 70)
    company.part(0, 1)
    #expect(total(company, at: 0) == 50)
    company.run(for: .seconds(1))
    #expect(company.played(by: 2) == 50)
    company.connected = { $0 != 2 && $1 != 2 }
    company.run(for: .milliseconds(4900))
    #expect(total(company, at: 0) == 50)
    company.run(for: .milliseconds(200))
    #expect(total(company, at: 0) == 10)
    // Heard again, it counts again, though it has told nothing new.
    company.connected = { _, _ in true }
    company.run(for: .seconds(1))
    #expect(total(company, at: 0) == 50)
  }

  @Test func aClosedGateKeepsActivityOutInEitherDirection() throws {
    var company = try VirtualBand.playing(3, seed: 6, activity: [10, 20, 40])
    company.players[0].ensemble.gates.set(.activity, open: false, for: company.identity(1).description)
    company.players[2].ensemble.gates.set(.activity, open: false)
    company.run(for: .seconds(2))
    #expect(total(company, at: 0) == 50)
    #expect(company.played(by: 0) == 50 && company.played(by: 1) == 50)
    // By its own level alone.
    #expect(company.played(by: 2) == 40)
    company.setActivity(60, of: 2)
    company.run(for: .seconds(3))
    #expect(company.played(by: 2) == 60 && company.played(by: 1) == 70)
    // Opened again.
    company.players[2].ensemble.gates.standard = .all
    company.run(for: .seconds(2))
    #expect(company.played(by: 2) == 70)
  }

  @Test(arguments: UInt64(1)...10) func aNewcomerPlaysByThePresentTotal(seed: UInt64) throws {
    var company = VirtualBand(
      players: 3, seed: seed, loss: seed % 2 == 0 ? 0.2 : 0, activity: [30, 40, 0], joined: false)
    company.connected = { $0 != 2 && $1 != 2 }
    company.meet(0, 1)
    company.run(for: .seconds(1))
    try company.command(0) { try $0.start(tempo: .standard, at: $1) }
    company.run(for: .seconds(3))
    company.connected = { _, _ in true }
    company.meet(0, 2)
    company.run(for: .seconds(seed % 2 == 0 ? 5 : 1))
    #expect(company.played(by: 2) == 70, "seed \(seed)")
    if seed % 2 == 1 { #expect(company.players[2].steps.allSatisfy { $0.total == 70 }, "seed \(seed)") }
  }

  /// The new master knows nobody's level: each tells it at once.
  @Test func anotherMasterIsToldEverybodysLevel() throws {
    var company = try VirtualBand.playing(3, seed: 8, activity: [10, 20, 40])
    company.run(for: .seconds(2))
    try company.command(0) { try $0.stop(now: $1) }
    company.run(for: .seconds(1))
    try company.command(2) { try $0.start(tempo: .standard, at: $1) }
    company.run(for: .milliseconds(500))
    #expect(total(company, at: 2) == 70)
    company.run(for: .seconds(1))
    #expect((0..<3).allSatisfy { company.played(by: $0) == 70 })
  }

  /// The master vanishes. What sounds stays as it is until the next in line knows everybody's level.
  @Test(arguments: UInt64(1)...8) func whoTakesOverKnowsEverybodysLevelSoon(seed: UInt64) throws {
    var company = try VirtualBand.playing(4, seed: seed, loss: seed % 2 == 0 ? 0.2 : 0, activity: [10, 20, 40, 30])
    company.run(for: .seconds(3))
    company.connected = { $0 != 0 && $1 != 0 }
    company.run(for: .seconds(5))
    let masters = (1..<4).filter { company.players[$0].ensemble.role == .master }
    #expect(masters.count == 1, "seed \(seed)")
    for n in 1..<4 {
      #expect(company.players[n].steps.last?.total == 90, "seed \(seed)")
      if seed % 2 == 1 {
        // But for the first beats, of which the master knew no level but its own.
        let totals = Set(company.players[n].steps.filter { $0.step.index >= 8 }.map(\.total))
        #expect(totals == [100, 90], "seed \(seed), player \(n)")
      }
    }
  }

  /// Two halves meet again at any phase of the beat. Whoever gives way had decided upon a beat that is still to come when
  /// it is told the other's total, which counts already.
  @Test(arguments: UInt64(1)...20) func whoGivesWayPlaysByTheOthersTotal(seed: UInt64) throws {
    var company = try VirtualBand.playing(2, seed: seed)
    company.run(for: .seconds(2))
    company.connected = { _, _ in false }
    company.setActivity(127, of: 1)
    company.run(for: .seconds(5))
    for n in 0..<Int64(40) {
      company.setActivity(UInt8(n % 2 * 100), of: 0)
      company.run(for: .milliseconds(100))
    }
    company.run(for: .milliseconds(25 * Int64(seed)))
    company.connected = { _, _ in true }
    company.run(for: .seconds(3))
    #expect(company.players[0].ensemble.role == .follower(of: company.identity(1)), "seed \(seed)")
    #expect(company.played(by: 0) == 127, "seed \(seed)")
  }

  /// A beat at 999 BPM is shorter than the lead; one at 20 BPM lasts three seconds.
  @Test(arguments: [20.0, 61.7, 333, 999]) func anyTempoWillDo(bpm: Double) throws {
    let tempo = try Tempo(bpm: bpm)
    var company = try VirtualBand.playing(3, seed: 9)
    company.run(for: .seconds(1))
    try company.command(0) { try $0.change(tempo: tempo, at: $1) }
    company.run(for: .seconds(1))
    for level in [UInt8(90), 10, 127] {
      company.setActivity(level, of: 1)
      company.run(for: .seconds(bpm < 30 ? 10 : 4))
      #expect((0..<3).allSatisfy { company.played(by: $0) == level }, "\(bpm)")
    }
    #expect(
      company.players[1].steps.elementsEqual(company.players[0].steps.prefix(company.players[1].steps.count), by: ==))
    for player in company.players {
      let changes = zip(player.steps, player.steps.dropFirst()).filter { $0.total != $1.total }
      #expect(changes.allSatisfy { $1.step.index % Step.perQuarter == 0 }, "\(bpm)")
    }
  }
}

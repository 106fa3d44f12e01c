import Ensemble
import MusicalTime
import Testing

/// The total of a rhythm that goes over to a peer that has led before.
@Suite struct SuccessorsTotalTests {
  /// It has been told levels that have changed since: none of these counts, nor that of the master that is gone.
  @Test(arguments: UInt64(1)...8) func whoTakesOverForgetsWhatItWasToldLongAgo(seed: UInt64) throws {
    var company = VirtualBand(players: 4, seed: seed, activity: [0, 60, 40, 10], joined: false)
    // Nobody else takes over.
    for n in 1..<4 { company.players[n].ensemble.masterLoss = .stop }
    company.meet()
    company.run(for: .seconds(2))
    try company.command(0) { try $0.start(tempo: .standard, at: $1) }
    company.run(for: .seconds(2))
    #expect(company.players.allSatisfy { $0.steps.last?.total == 110 }, "seed \(seed)")
    try company.command(0) { try $0.stop(now: $1) }
    company.run(for: .seconds(1))
    try company.command(1) { try $0.start(tempo: .standard, at: $1) }
    company.setActivity(0, of: 1)
    company.setActivity(20, of: 2)
    company.run(for: .seconds(5))
    #expect(company.players.allSatisfy { $0.steps.last?.total == 30 }, "seed \(seed)")
    let heard = company.players.map(\.steps.count)
    let vanished = company.now
    company.connected = { $0 != 1 && $1 != 1 }
    for _ in 0..<8_000 {
      company.run(for: .milliseconds(1))
      for n in [0, 2, 3] where company.players[n].ensemble.totalActivity(at: company.own(n)) != 30 {
        Issue.record("seed \(seed), player \(n): the total is another at \(company.now - vanished)")
        return
      }
    }
    #expect(company.players[0].ensemble.role == .master, "seed \(seed)")
    for n in [0, 2, 3] {
      let totals = company.players[n].steps[heard[n]...].map(\.total)
      #expect(totals.count > 60 && totals.allSatisfy { $0 == 30 }, "seed \(seed), player \(n)")
    }
  }
}

import Ensemble
import MusicalTime
import Testing

/// The total activity after a takeover by a peer that was the master before.
@Suite struct TotalAfterTakeoverTests {
  /// The new master was the master before, and still knows the activity levels from that time. These levels have changed since.
  /// Neither they nor the level of the lost master count in the total.
  @Test(arguments: UInt64(1)...8) func outdatedLevelsDoNotCountAfterATakeover(seed: UInt64) throws {
    var band = VirtualBand(players: 4, seed: seed, activity: [0, 60, 40, 10], joined: false)
    // Only player 0 takes over from a lost master.
    for n in 1..<4 { band.players[n].ensemble.masterLoss = .stop }
    band.joinAll()
    band.run(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(2))
    // The sum of all levels, 0 + 60 + 40 + 10.
    #expect(band.players.allSatisfy { $0.steps.last?.total == 110 }, "seed \(seed)")
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.setActivity(0, of: 1)
    band.setActivity(20, of: 2)
    band.run(for: .seconds(5))
    // 0 + 0 + 20 + 10. The level of player 1 is 0, so the loss of player 1 does not change the sum.
    #expect(band.players.allSatisfy { $0.steps.last?.total == 30 }, "seed \(seed)")
    let stepCounts = band.players.map(\.steps.count)
    let partition = band.now
    // Player 1, the master, is separated from the other players.
    band.connected = { $0 != 1 && $1 != 1 }
    // Eight seconds, which contain the takeover and more than 60 steps.
    for _ in 0..<8_000 {
      band.run(for: .milliseconds(1))
      for n in [0, 2, 3] where band.players[n].ensemble.totalActivity(at: band.localTime(of: n)) != 30 {
        Issue.record("seed \(seed), player \(n): the total is not 30, \(band.now - partition) after the partition")
        return
      }
    }
    #expect(band.players[0].ensemble.role == .master, "seed \(seed)")
    for n in [0, 2, 3] {
      let totals = band.players[n].steps[stepCounts[n]...].map(\.total)
      #expect(totals.count > 60 && totals.allSatisfy { $0 == 30 }, "seed \(seed), player \(n)")
    }
  }
}

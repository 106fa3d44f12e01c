import MusicalTime
import Simulation
import Testing

/// Simulations of random networks and commands, in which all invariants must hold.
@Suite struct RandomScenarioTests {
  /// The settings of a random scenario with two to four peers. Every twentieth seed has seven peers. With few peers, the simulation does
  /// not take long in a debug build. `.ci/run` runs a hundred scenarios with the release build.
  static func settings(_ seed: UInt64) -> VirtualWorld.Settings {
    .random(seed: seed, peers: seed % 20 == 0 ? 7 : 2 + Int(seed % 3), table: table)
  }

  @Test(arguments: UInt64(0)...10) func invariantsHold(seed: UInt64) {
    let settings = Self.settings(seed)
    let outcome = VirtualWorld.random(settings, length: .seconds(60)).simulated()
    let command = "tutti simulate --random --peers \(settings.peers) --seconds 60 --seed \(seed)"
    #expect(outcome.holds, "\(command)\n\(outcome.violations)")
    #expect(outcome.steps > 0, "\(command)")
    // Every fourth scenario has a hostile device that sends forged packets.
    #expect((outcome.forged > 0) == (seed % 4 == 3), "\(command)")
  }

  /// The bars of these scores begin between two steps. Peers join, and receive a score while it plays.
  @Test(arguments: [UInt64(82), 138]) func invariantsHoldWithScores(seed: UInt64) {
    let settings = VirtualWorld.Settings.random(seed: seed, hasScores: true, table: table)
    let outcome = VirtualWorld.random(settings, length: .seconds(60)).simulated()
    #expect(outcome.holds, "tutti simulate --random --scores --seconds 60 --seed \(seed)\n\(outcome.violations)")
    #expect(outcome.steps > 0)
  }

  @Test func seedDeterminesTheOutcome() {
    let outcomes = (0..<2).map { _ in VirtualWorld.random(Self.settings(20), length: .seconds(40)).simulated() }
    #expect(outcomes[0].digest == outcomes[1].digest)
    #expect(outcomes[0].evaluations == outcomes[1].evaluations)
  }
}

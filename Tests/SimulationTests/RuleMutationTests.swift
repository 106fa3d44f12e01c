import MusicalTime
import Simulation
import Testing

/// The checks of the invariants detect violations: a scenario that holds with all rules violates an invariant if one rule is
/// disabled.
@Suite struct RuleMutationTests {
  /// The outcome of the scenario of seed 0 with all rules.
  private static let seedZero = VirtualWorld.random(RandomScenarioTests.settings(0), length: .seconds(60)).simulated()

  @Test(arguments: [
    (EnsembleRule.tie, UInt64(1), Invariant.oneMaster), (.heal, 0, .oneMaster), (.channel, 0, .channels),
    (.gate, 0, .gates), (.failover, 0, .failover), (.activity, 0, .activity),
  ])
  func disabledRuleViolatesItsInvariant(rule: EnsembleRule, seed: UInt64, invariant: Invariant) {
    var settings = RandomScenarioTests.settings(seed)
    let complete = seed == 0 ? Self.seedZero : VirtualWorld.random(settings, length: .seconds(60)).simulated()
    #expect(complete.holds, "\(rule), seed \(seed): \(complete.violations)")
    settings.disabledRule = rule
    let mutated = VirtualWorld.random(settings, length: .seconds(60)).simulated()
    #expect(mutated.counts[invariant] ?? 0 > 0, "\(rule), seed \(seed)")
  }
}

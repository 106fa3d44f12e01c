import MusicalTime
import Simulation
import Testing

/// The checks of the invariants detect violations: a scenario that holds with all rules (``RandomScenarioTests``) violates an
/// invariant if one rule is disabled.
@Suite struct RuleMutationTests {
  @Test(arguments: [
    (EnsembleRule.tie, UInt64(1), Invariant.oneMaster), (.heal, 0, .oneMaster), (.channel, 0, .channels),
    (.gate, 0, .gates), (.hearing, 0, .hearing), (.failover, 0, .failover), (.activity, 0, .activity),
  ])
  func disabledRuleViolatesItsInvariant(rule: EnsembleRule, seed: UInt64, invariant: Invariant) {
    var settings = RandomScenarioTests.settings(seed)
    settings.disabledRule = rule
    let world = VirtualWorld.random(settings, length: .seconds(60))
    // The first violation suffices.
    for second in Int64(1)...60 where world.outcome.counts[invariant] == nil {
      _ = world.run(until: Instant(nanoseconds: second * 1_000_000_000))
    }
    #expect(world.outcome.counts[invariant] ?? 0 > 0, "\(rule), seed \(seed)")
  }
}

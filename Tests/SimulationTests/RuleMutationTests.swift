import MusicalTime
import Simulation
import Testing

/// Tests that the simulation detects violations. The scenarios of ``RandomScenarioTests`` violate no invariant. If a rule of the
/// ensemble (``EnsembleRule``) is disabled, at least one of ten such scenarios violates the invariant that belongs to the rule.
@Suite struct RuleMutationTests {
  @Test(arguments: [
    (EnsembleRule.tie, Invariant.oneMaster), (.heal, .oneMaster), (.channel, .channels), (.gate, .gates),
    (.hearing, .hearing), (.failover, .failover), (.activity, .activity), (.rhythm, .rhythm),
    (.score, .score),
  ])
  func disablingARuleViolatesItsInvariant(rule: EnsembleRule, invariant: Invariant) {
    for seed in UInt64(0)..<10 {
      var settings = RandomScenarioTests.settings(seed)
      settings.disabledRule = rule
      settings.hasScores = rule == .score
      let world = VirtualWorld.random(settings, length: .seconds(60))
      // The simulation ends after the second with the first violation.
      for second in Int64(1)...60 where world.outcome.counts[invariant] == nil {
        _ = world.run(until: Instant(nanoseconds: second * 1_000_000_000))
      }
      if world.outcome.counts[invariant] ?? 0 > 0 { return }
    }
    Issue.record("\(rule): no scenario violates \(invariant)")
  }
}

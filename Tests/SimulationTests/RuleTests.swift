import MusicalTime
import Simulation
import Testing

/// Each check bites: where the rule it watches is kept from working, a seed is found by it that holds otherwise.
@Suite struct RuleTests {
  /// The outcome of the scenario of seed 0 with all rules.
  private static let wholeEvening = Room.evening(EveningTests.settings(0), length: .seconds(60)).played()

  @Test(arguments: [
    (Rule.tie, UInt64(1), Check.oneMaster), (.heal, 0, .oneMaster), (.channel, 0, .channels), (.gate, 0, .gates),
    (.failover, 0, .failover), (.activity, 0, .activity),
  ])
  func aRuleThatIsOffIsMissed(rule: Rule, seed: UInt64, check: Check) {
    var settings = EveningTests.settings(seed)
    let whole = seed == 0 ? Self.wholeEvening : Room.evening(settings, length: .seconds(60)).played()
    #expect(whole.holds, "\(rule), seed \(seed): \(whole.violations)")
    settings.off = rule
    let broken = Room.evening(settings, length: .seconds(60)).played()
    #expect(broken.counts[check] ?? 0 > 0, "\(rule), seed \(seed)")
  }
}

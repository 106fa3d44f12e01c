import Simulation

/// The combined results of all scenarios.
struct Totals: CustomStringConvertible {
  /// The number of scenarios.
  private(set) var scenarios = 0
  /// The number of scenarios with violations.
  private(set) var failed = 0
  // Sums over all scenarios: see the properties of `Outcome` with the same names.
  private var steps = 0
  private var packets: Int64 = 0
  private var lost: Int64 = 0
  private var starts = 0
  private var takeovers = 0
  /// How often a master yielded to a master with a higher claim. This resolves a conflict between two masters.
  private var outranked = 0
  /// The number of scenarios that violated each invariant.
  private var violatingScenarios: [Invariant: Int] = [:]
  /// How often each invariant was evaluated.
  private var evaluations: [Invariant: Int] = [:]

  /// Adds the result of one scenario.
  mutating func add(_ outcome: Outcome) {
    scenarios += 1
    if !outcome.holds { failed += 1 }
    steps += outcome.steps
    packets += outcome.packets
    lost += outcome.lost
    starts += outcome.starts
    takeovers += outcome.takeovers
    outranked += outcome.outranked
    for invariant in outcome.counts.keys { violatingScenarios[invariant, default: 0] += 1 }
    evaluations.merge(outcome.evaluations) { $0 + $1 }
  }

  var description: String {
    var text = "\(scenarios) scenarios, \(failed) with violations; \(steps) steps; \(packets) packets, \(lost) lost\n"
    text += "\(starts) starts, \(takeovers) takeovers, \(outranked) conflicts between masters resolved\n"
    for invariant in Invariant.allCases {
      // Names are padded to a column of ten characters.
      let name = invariant.rawValue + String(repeating: " ", count: max(0, 10 - invariant.rawValue.count))
      let (violating, evaluated) = (violatingScenarios[invariant] ?? 0, evaluations[invariant] ?? 0)
      text += "  \(name)  violated in \(violating) scenarios, \(evaluated) checks\n"
    }
    return text
  }
}

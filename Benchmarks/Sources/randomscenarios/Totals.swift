import Simulation

/// The combined results of all scenarios.
struct Totals: CustomStringConvertible {
  private(set) var scenarios = 0
  /// The number of scenarios with violations.
  private(set) var failed = 0
  private var steps = 0
  private var packets: Int64 = 0
  private var lost: Int64 = 0
  private var starts = 0
  private var takeovers = 0
  private var masterConflicts = 0
  /// The number of scenarios that violated each invariant.
  private var violated: [Invariant: Int] = [:]
  private var checks: [Invariant: Int] = [:]

  mutating func add(_ outcome: Outcome) {
    scenarios += 1
    if !outcome.holds { failed += 1 }
    steps += outcome.steps
    packets += outcome.packets
    lost += outcome.lost
    starts += outcome.starts
    takeovers += outcome.takeovers
    masterConflicts += outcome.outranked
    for check in outcome.counts.keys { violated[check, default: 0] += 1 }
    checks.merge(outcome.evaluations) { $0 + $1 }
  }

  var description: String {
    var text = "\(scenarios) scenarios, \(failed) with violations; \(steps) steps; \(packets) packets, \(lost) lost\n"
    text += "\(starts) starts, \(takeovers) takeovers, \(masterConflicts) conflicts between masters resolved\n"
    for check in Invariant.allCases {
      let name = check.rawValue + String(repeating: " ", count: max(0, 10 - check.rawValue.count))
      text += "  \(name)  violated in \(violated[check] ?? 0) scenarios, \(checks[check] ?? 0) checks\n"
    }
    return text
  }
}

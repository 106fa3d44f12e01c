import Simulation

/// What came of all evenings together.
struct Sum: CustomStringConvertible {
  private(set) var failed = 0
  private(set) var played = 0
  private var steps = 0
  private var packets: Int64 = 0
  private var lost: Int64 = 0
  private var starts = 0
  private var takeovers = 0
  private var outranked = 0
  private var violated: [Check: Int] = [:]
  private var looks: [Check: Int] = [:]

  mutating func add(_ outcome: Outcome) {
    played += 1
    if !outcome.holds { failed += 1 }
    steps += outcome.steps
    packets += outcome.packets
    lost += outcome.lost
    starts += outcome.starts
    takeovers += outcome.takeovers
    outranked += outcome.outranked
    for check in outcome.counts.keys { violated[check, default: 0] += 1 }
    looks.merge(outcome.looks) { $0 + $1 }
  }

  var description: String {
    var text = "\(played) evenings, \(failed) with violations; \(steps) steps heard; \(packets) packets, \(lost) lost\n"
    text += "\(starts) starts, \(takeovers) times taken over, \(outranked) times two masters settled\n"
    for check in Check.allCases {
      let name = check.rawValue + String(repeating: " ", count: 10 - check.rawValue.count)
      text += "  \(name)  violated on \(violated[check] ?? 0) evenings, \(looks[check] ?? 0) looks\n"
    }
    return text
  }
}

import BuildVersion
import Engine
import Measurement
import MusicalTime
import Simulation

/// The result of one simulation, as text and as JSON.
struct SimulationReport: Encodable, CustomStringConvertible {
  let version = Version.current
  let command: String
  let seed: UInt64
  let peers: Int
  let network: String
  let seconds: Double
  /// The number of steps that all peers together have played.
  let steps: Int
  /// The number of hits in these steps.
  let hits: Int
  /// The distribution of the time between each step of a settled follower and the same step of the master, in nanoseconds
  /// (microseconds in JSON). A follower is settled after three undisturbed seconds. Nil if there was no such step.
  let phaseError: Distribution?
  let packets: Int64
  let lost: Int64
  /// The number of packets that a hostile device sent.
  let forged: Int64
  /// The number of times that a rhythm started.
  let starts: Int
  /// The number of takeovers and handovers.
  let takeovers: Int
  /// How often two peers were master at the same time, and one of them yielded to the higher claim of the other.
  let masterConflicts: Int
  /// How often each invariant was checked.
  let checks: [String: Int]
  let violations: [Violation]
  /// How often each invariant was violated.
  let violationCounts: [String: Int]
  let digest: String

  enum CodingKeys: String, CodingKey {
    case version, command, seed, peers, network, seconds, steps, hits, packets, starts, takeovers, checks, violations
    case digest
    case masterConflicts = "master_conflicts"
    case violationCounts = "violation_counts"
    case phaseError = "phase_error_us"
    case lost = "packets_lost"
    case forged = "packets_forged"
  }

  init(_ outcome: Outcome, command: String) {
    self.command = command
    seed = outcome.seed
    peers = outcome.peers
    network = outcome.network
    seconds = outcome.length.seconds
    (steps, hits) = (outcome.steps, outcome.hits)
    phaseError = Distribution(outcome.distances.lazy.map(\.magnitude))
    (packets, lost, forged) = (outcome.packets, outcome.lost, outcome.forged)
    (starts, takeovers, masterConflicts) = (outcome.starts, outcome.takeovers, outcome.outranked)
    checks = Dictionary(uniqueKeysWithValues: outcome.evaluations.map { ($0.key.rawValue, $0.value) })
    violations = outcome.violations
    violationCounts = Dictionary(uniqueKeysWithValues: outcome.counts.map { ($0.key.rawValue, $0.value) })
    let digits = String(outcome.digest, radix: 16)
    digest = String(repeating: "0", count: 16 - digits.count) + digits
  }

  var description: String {
    var text = "seed \(seed): \(peers) peers, \(seconds) s on \(network)\n"
    text += "  played: \(steps) steps, \(hits) hits\n"
    text +=
      "  masters: \(starts) starts, \(takeovers) takeovers and handovers, \(masterConflicts) conflicts resolved\n"
    text += "  network: \(packets) packets sent, \(lost) lost"
    text += forged > 0 ? ", \(forged) forged by a hostile device\n" : "\n"
    if let phaseError {
      text += "  difference from the master: p50 \(phaseError.p50 / 1e3), p95 \(phaseError.p95 / 1e3),"
      text += " max \(phaseError.maximum / 1e3) us\n"
    }
    text += "  digest \(digest)\n"
    for check in Invariant.allCases {
      let count = checks[check.rawValue] ?? 0
      let result =
        violationCounts[check.rawValue].map { "VIOLATED \($0) times" } ?? (count > 0 ? "held" : "never checked")
      text += "  \(check.rawValue.padded(to: 10)) \(result)\(count > 0 ? ", \(count) checks" : "")\n"
    }
    for violation in violations { text += "  \(violation)\n" }
    if !violations.isEmpty { text += "  repeat with: \(command)\n" }
    return text
  }
}

/// The combined results of several simulations.
struct SimulationTotal: CustomStringConvertible {
  private(set) var seeds = 0
  /// The number of seeds with violations.
  private(set) var violated = 0
  private var steps = 0
  /// The number of takeovers and handovers.
  private var takeovers = 0
  /// The number of seeds that violated each invariant.
  private var violatedSeeds: [Invariant: Int] = [:]
  /// How often each invariant was checked.
  private var checks: [Invariant: Int] = [:]

  /// Adds the result of one simulation.
  mutating func add(_ outcome: Outcome) {
    seeds += 1
    if !outcome.holds { violated += 1 }
    steps += outcome.steps
    takeovers += outcome.takeovers
    for check in outcome.counts.keys { violatedSeeds[check, default: 0] += 1 }
    checks.merge(outcome.evaluations) { $0 + $1 }
  }

  var description: String {
    var text = "\(seeds) seeds, \(violated) with violations; \(steps) steps, \(takeovers) takeovers and handovers\n"
    for check in Invariant.allCases {
      text += "  \(check.rawValue.padded(to: 10)) violated in \(violatedSeeds[check] ?? 0) seeds,"
      text += " \(checks[check] ?? 0) checks\n"
    }
    return text
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

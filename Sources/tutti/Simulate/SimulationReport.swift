import BuildVersion
import Engine
import Measurement
import MusicalTime
import Simulation

/// The result of one simulation, as text and as JSON.
struct SimulationReport: Encodable, CustomStringConvertible {
  private let outcome: Outcome
  /// The command that repeats the simulation.
  private let command: String
  /// The distribution of the time between each step of a settled follower and the same step of the master, in nanoseconds
  /// (microseconds in JSON). A follower is settled after three undisturbed seconds. Nil if there was no such step.
  private let phaseError: Distribution?

  init(_ outcome: Outcome, command: String) {
    (self.outcome, self.command) = (outcome, command)
    phaseError = Distribution(outcome.distances.lazy.map(\.magnitude))
  }

  private var digest: String {
    let digits = String(outcome.digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  func encode(to encoder: any Encoder) throws {
    func byName(_ counts: [Invariant: Int]) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    }
    try encoder.encode([
      "version": Version.current, "command": command, "seed": outcome.seed, "peers": outcome.peers,
      "network": outcome.network, "seconds": outcome.length.seconds,
      // The steps that all peers together have played, and the hits in these steps.
      "steps": outcome.steps, "hits": outcome.hits, "phase_error_us": phaseError,
      // The last number counts the packets that a hostile device sent.
      "packets": outcome.packets, "packets_lost": outcome.lost, "packets_forged": outcome.forged,
      // How often a rhythm started; the takeovers and handovers; how often two peers were master at the same time, and one of them yielded
      // to the higher claim of the other.
      "starts": outcome.starts, "takeovers": outcome.takeovers, "master_conflicts": outcome.outranked,
      // How often each invariant was checked and violated.
      "checks": byName(outcome.evaluations), "violation_counts": byName(outcome.counts),
      "violations": outcome.violations, "digest": digest,
    ])
  }

  var description: String {
    var text = "seed \(outcome.seed): \(outcome.peers) peers, \(outcome.length.seconds) s on \(outcome.network)\n"
    text += "  played: \(outcome.steps) steps, \(outcome.hits) hits\n"
    text += "  masters: \(outcome.starts) starts, \(outcome.takeovers) takeovers and handovers,"
    text += " \(outcome.outranked) conflicts resolved\n"
    text += "  network: \(outcome.packets) packets sent, \(outcome.lost) lost"
    text += outcome.forged > 0 ? ", \(outcome.forged) forged by a hostile device\n" : "\n"
    if let phaseError {
      text += "  difference from the master: p50 \(phaseError.p50 / 1e3), p95 \(phaseError.p95 / 1e3),"
      text += " max \(phaseError.maximum / 1e3) us\n"
    }
    text += "  digest \(digest)\n"
    for check in Invariant.allCases {
      let count = outcome.evaluations[check] ?? 0
      let result = outcome.counts[check].map { "VIOLATED \($0) times" } ?? (count > 0 ? "held" : "never checked")
      text += "  \(check.rawValue.padded(to: 10)) \(result)\(count > 0 ? ", \(count) checks" : "")\n"
    }
    for violation in outcome.violations { text += "  \(violation)\n" }
    if !outcome.violations.isEmpty { text += "  repeat with: \(command)\n" }
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

import Engine
import Measurement
import MusicalTime
import Simulation

/// What came of one simulation, for people and as JSON.
struct SimulationReport: Encodable, CustomStringConvertible {
  let version = Version.current
  let command: String
  let seed: UInt64
  let peers: Int
  let network: String
  let seconds: Double
  let steps: Int
  let hits: Int
  let distance: Figures
  /// 95 % of the distances are within it, microseconds.
  let p95: Double
  let packets: Int64
  let lost: Int64
  let starts: Int
  let takeovers: Int
  let outranked: Int
  let looks: [String: Int]
  let violations: [Violation]
  let violated: [String: Int]
  let digest: String

  enum CodingKeys: String, CodingKey {
    case version, command, seed, peers, network, seconds, steps, hits, packets, starts, takeovers, outranked, looks
    case violations, violated, digest
    case distance = "distance_us"
    case p95 = "distance_p95_us"
    case lost = "packets_lost"
  }

  init(_ outcome: Outcome, command: String) {
    self.command = command
    seed = outcome.seed
    peers = outcome.peers
    network = outcome.network
    seconds = outcome.length.seconds
    (steps, hits) = (outcome.steps, outcome.hits)
    var histogram = SignedHistogram()
    for distance in outcome.distances { histogram.record(distance.magnitude) }
    distance = Figures(histogram)
    p95 = histogram.percentile(0.95).microseconds
    (packets, lost) = (outcome.packets, outcome.lost)
    (starts, takeovers, outranked) = (outcome.starts, outcome.takeovers, outcome.outranked)
    looks = Dictionary(uniqueKeysWithValues: outcome.looks.map { ($0.key.rawValue, $0.value) })
    violations = outcome.violations
    violated = Dictionary(uniqueKeysWithValues: outcome.counts.map { ($0.key.rawValue, $0.value) })
    let digits = String(outcome.digest, radix: 16)
    digest = String(repeating: "0", count: 16 - digits.count) + digits
  }

  var description: String {
    var text = "seed \(seed): \(peers) peers, \(seconds) s on \(network)\n"
    text += "  \(steps) steps heard, \(hits) drums struck; started \(starts) times, taken over \(takeovers) times,"
    text += " two masters settled \(outranked) times\n"
    text += "  \(packets) packets sent, \(lost) did not arrive\n"
    if distance.count > 0 {
      text += "  steps off the master's: p50 \(distance.p50.microseconds), p95 \(p95),"
      text += " max \(distance.maximum.microseconds) us\n"
    }
    text += "  digest \(digest)\n"
    for check in Check.allCases {
      let looks = looks[check.rawValue] ?? 0
      let result = violated[check.rawValue].map { "VIOLATED \($0) times" } ?? (looks > 0 ? "held" : "never looked at")
      text += "  \(check.rawValue.padded(to: 10)) \(result)\(looks > 0 ? ", \(looks) looks" : "")\n"
    }
    for violation in violations { text += "  \(violation)\n" }
    if !violations.isEmpty { text += "  again: \(command)\n" }
    return text
  }
}

/// What came of many.
struct SimulationTotal: CustomStringConvertible {
  private(set) var played = 0
  private(set) var violated = 0
  private var steps = 0
  private var takeovers = 0
  private var counts: [Check: Int] = [:]
  private var looks: [Check: Int] = [:]

  mutating func add(_ outcome: Outcome) {
    played += 1
    if !outcome.holds { violated += 1 }
    steps += outcome.steps
    takeovers += outcome.takeovers
    for check in outcome.counts.keys { counts[check, default: 0] += 1 }
    looks.merge(outcome.looks) { $0 + $1 }
  }

  var description: String {
    var text = "\(played) seeds, \(violated) with violations; \(steps) steps heard, \(takeovers) times taken over\n"
    for check in Check.allCases {
      text += "  \(check.rawValue.padded(to: 10)) violated in \(counts[check] ?? 0) seeds, \(looks[check] ?? 0) looks\n"
    }
    return text
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

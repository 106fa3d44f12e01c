import Foundation
import Measurement

/// The published followers and Tutti's in the same experiment, seed by seed.
struct FollowerTable: Encodable {
  struct Row: Encodable {
    var follower: Contender
    var loss: Double
    /// Means over the seeds, milliseconds; ``settled`` is nil when one seed in ten or more never does.
    var deviation: Double
    var settled: Double?
    var worst: Double
    /// The worst of all seeds.
    var worstOfAll: Double
    /// The most ticks by which a count is off.
    var slipped: Int
  }

  var rows: [Row] = []

  init(seeds: Int) {
    for loss in [0, 0.05] {
      for contender in Contender.allCases {
        let outcomes = (1...seeds).map { Experiment(contender, seed: UInt64($0), loss: loss).outcome }
        func mean(_ value: (Experiment.Outcome) -> Double) -> Double {
          outcomes.map(value).reduce(0, +) / Double(seeds)
        }
        let settled = outcomes.compactMap(\.settled)
        rows.append(
          Row(
            follower: contender, loss: loss, deviation: mean(\.deviation),
            settled: settled.count * 10 > seeds * 9 ? Double(settled.reduce(0, +)) / Double(settled.count) : nil,
            worst: mean(\.worst), worstOfAll: outcomes.map(\.worst).max()!,
            slipped: outcomes.map { abs($0.slipped) }.max()!))
      }
    }
  }

  var text: String {
    var table = TextTable(columns: [
      "follower", "lost", "phase sd, ms", "ticks to 0.5 BPM", "worst phase, ms", "of all seeds", "count off by",
    ])
    for row in rows {
      table.append([
        row.follower.rawValue, String(format: "%.0f %%", row.loss * 100), String(format: "%.3f", row.deviation),
        row.settled.map { String(format: "%.0f", $0) } ?? "never", String(format: "%.1f", row.worst),
        String(format: "%.1f", row.worstOfAll), "\(row.slipped)",
      ])
    }
    return table.description
  }
}

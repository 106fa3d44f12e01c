import Foundation
import Measurement

/// The table of the results of all followers, with and without loss, over all seeds.
struct FollowerTable: Encodable {
  /// The results of one follower, with or without loss.
  struct Row: Encodable {
    var follower: FollowerMethod
    /// The share of lost ticks, 0...1.
    var loss: Double
    /// The mean over the seeds of ``Experiment/Outcome/deviation``, in milliseconds.
    var deviation: Double
    /// The mean over the seeds of ``Experiment/Outcome/settled``, in ticks; nil if a tenth of the seeds or more never settle.
    var settled: Double?
    /// The mean over the seeds of ``Experiment/Outcome/worst``, in milliseconds.
    var worst: Double
    /// The largest phase error of all seeds, in milliseconds.
    var worstOfAll: Double
    /// The largest error of the tick count.
    var slipped: Int
  }

  var rows: [Row] = []

  init(seeds: Int) {
    for loss in [0, 0.05] {
      for method in FollowerMethod.allCases {
        let outcomes = (1...seeds).map { Experiment(method, seed: UInt64($0), loss: loss).outcome }
        func mean(_ value: (Experiment.Outcome) -> Double) -> Double {
          outcomes.map(value).reduce(0, +) / Double(seeds)
        }
        let settled = outcomes.compactMap(\.settled)
        rows.append(
          Row(
            follower: method, loss: loss, deviation: mean(\.deviation),
            settled: settled.count * 10 > seeds * 9 ? Double(settled.reduce(0, +)) / Double(settled.count) : nil,
            worst: mean(\.worst), worstOfAll: outcomes.map(\.worst).max()!,
            slipped: outcomes.map { abs($0.slipped) }.max()!))
      }
    }
  }

  var text: String {
    var table = TextTable(columns: [
      "follower", "loss", "phase sd, ms", "ticks to 0.5 BPM", "max phase, ms", "all seeds", "count error",
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

import ClockSync
import Measurement
import MusicalTime
import _TestSupport

/// The table that shows how soon the follower of Tutti recovers from the disturbances of tick trains (``TickTrain``).
struct TrainTable: Encodable {
  /// The results for one train.
  struct Row: Encodable {
    /// The name of the train.
    var train: String
    /// The number of ticks after the disturbance until the error of the tempo stays below 0.5 BPM, and the error of the phase below
    /// 5 ms. The median over the seeds.
    var settled: Int
    /// The maximum of this number of ticks over the seeds.
    var worst: Int
    /// The number of seeds with a wrong tick count; nil if the count cannot be known.
    var slipped: Int?
    /// The number of duplicate ticks that the counter has dropped, over all seeds.
    var doubled: Int64
    /// How often the counter has renumbered ticks, over all seeds.
    var revisions: Int
  }

  var rows: [Row] = []

  init(seeds: Int) {
    for train in TickTrain.allCases {
      var (settled, slipped, doubled, revisions) = ([Int](), 0, Int64(0), 0)
      for seed in 1...seeds {
        let (arrivals, calm) = train.arrivals(seed: UInt64(seed))
        var (follower, counter) = (TickFollower(), TickCounter())
        // The number of a tick minus the count of the counter after this tick, at arrival 200. A train has 240 ticks before the
        // disturbance (``TickTrain``).
        var origin: Int64 = 0
        // The number of arrivals from the first arrival after the disturbance (`calm`) to the last arrival with an error.
        var lastWrong = 0
        for (n, arrival) in arrivals.enumerated() {
          counter.add(arrival.at, to: &follower)
          if n == 200 { origin = arrival.tick - counter.next.index }
          guard n >= calm else { continue }
          let newest = counter.next + -1
          let error = follower.timeline.map { Double($0.deadline(newest).nanoseconds) - arrival.due }
          let bpm = follower.timeline?.tempo.bpm ?? 0
          if abs(bpm - arrival.bpm) > 0.5 || abs(error ?? .infinity) > 5e6 { lastWrong = n - calm + 1 }
        }
        settled.append(lastWrong)
        if arrivals.last!.tick - counter.next.index != origin { slipped += 1 }
        doubled += counter.duplicates
        revisions += counter.revisions
      }
      settled.sort()
      rows.append(
        Row(
          train: train.rawValue, settled: settled[seeds / 2], worst: settled.last!,
          slipped: train.tellsCount ? slipped : nil, doubled: doubled, revisions: revisions))
    }
  }

  var text: String {
    var table = TextTable(columns: [
      "train", "ticks to settle", "max", "wrong counts", "duplicates dropped", "renumbered",
    ])
    for row in rows {
      table.append([
        row.train, "\(row.settled)", "\(row.worst)", row.slipped.map { "\($0)" } ?? "-", "\(row.doubled)",
        "\(row.revisions)",
      ])
    }
    return table.description
  }
}

import ClockSync
import Hostility
import Measurement
import MusicalTime

/// Tutti's follower on hostile trains: how soon it is right again.
struct TrainTable: Encodable {
  struct Row: Encodable {
    var train: String
    /// Ticks after the trouble until tempo (0.5 BPM) and phase (5 ms) are right for good: the middle seed, the worst.
    var settled: Int
    var worst: Int
    /// Seeds after which the count is off; nil where nobody can know it.
    var slipped: Int?
    var doubled: Int64
    var revisions: Int
  }

  var rows: [Row] = []

  init(seeds: Int) {
    for train in TickTrain.allCases {
      var (settled, slipped, doubled, revisions) = ([Int](), 0, Int64(0), 0)
      for seed in 1...seeds {
        let (arrivals, calm) = train.arrivals(seed: UInt64(seed))
        var (follower, counter) = (TickFollower(), TickCounter())
        var origin: Int64 = 0
        var last = 0
        for (n, arrival) in arrivals.enumerated() {
          counter.add(arrival.at, to: &follower)
          if n == 200 { origin = arrival.tick - counter.next.index }
          guard n >= calm else { continue }
          let newest = counter.next + -1
          let error = follower.timeline.map { Double($0.deadline(newest).nanoseconds) - arrival.due }
          let bpm = follower.timeline?.tempo.bpm ?? 0
          if abs(bpm - arrival.bpm) > 0.5 || abs(error ?? .infinity) > 5e6 { last = n - calm + 1 }
        }
        settled.append(last)
        if arrivals.last!.tick - counter.next.index != origin { slipped += 1 }
        doubled += counter.doubled
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
      "train", "ticks to settle", "worst", "counts off", "doubles dropped", "numbered anew",
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

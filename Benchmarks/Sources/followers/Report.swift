import Foundation
import Measurement
import MusicalTime

/// The results of all followers.
struct Report {
  /// The number of followers.
  private let followers: Int
  /// The number of ticks that at least one follower has received.
  private let rows: Int
  /// The counters of each follower.
  private let counters: [FollowerCounters]
  /// The sum of the counters of all followers.
  private let total: FollowerCounters
  /// The delay of each arrival after the first arrival of the same tick.
  private let spread: Distribution?
  /// The time from the first to the last arrival of each tick.
  private let width: Distribution?
  /// One line per tick: time stamp, first and last arrival, in nanoseconds of CLOCK_MONOTONIC.
  let ticks: String

  init(_ group: FollowerGroup) {
    counters = group.counters
    followers = counters.count
    rows = group.ticks.count
    total = counters.reduce(into: FollowerCounters(), +=)
    spread = Distribution(group.ticks.spread)
    width = Distribution(zip(group.ticks.firsts, group.ticks.lasts).map { $1 - $0 })
    ticks = (0..<rows).map { row in
      let instants = [group.ticks.stamps[row], group.ticks.firsts[row], group.ticks.lasts[row]]
      return instants.map { "\($0.nanoseconds)" }.joined(separator: " ") + "\n"
    }.joined()
  }

  /// Whether every follower has received every tick exactly once.
  var isComplete: Bool {
    rows > 0 && counters.allSatisfy { $0.ticks == rows && $0.missing == 0 && $0.duplicates == 0 && $0.unexpected == 0 }
  }

  private var notStarted: Int { counters.count { $0.starts == 0 } }

  private var counts: [(name: String, value: Int)] {
    [
      ("followers", followers), ("started", followers - notStarted), ("stopped", counters.count { $0.stops > 0 }),
      ("ticks", rows), ("ticks_received", total.ticks), ("recovered", total.recovered), ("missing", total.missing),
      ("duplicates", total.duplicates), ("unexpected", total.unexpected), ("packets_lost", Int(total.lost)),
      ("packets_rejected", total.rejected),
      ("unsent", total.unsent),
    ]
  }

  var text: String {
    var table = TextTable(columns: ["microseconds"] + Distribution.columns)
    table.append(["arrivals after the first arrival"] + spread.row)
    table.append(["last arrival after the first"] + width.row)
    return counts.map { "\($0.name)=\($0.value)" }.joined(separator: " ") + "\n" + table.description
  }

  var json: String {
    get throws {
      struct Body: Encodable {
        var event = "report"
        var counts: [String: Int]
        var spread: Distribution?
        var width: Distribution?
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let counts = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, $0.value) })
      return String(decoding: try encoder.encode(Body(counts: counts, spread: spread, width: width)), as: UTF8.self)
    }
  }
}

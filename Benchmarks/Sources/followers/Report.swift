import Foundation
import Measurement
import MusicalTime

/// What the followers heard, all together.
struct Report {
  private let followers: Int
  private let rows: Int
  private let heard: [Heard]
  private let total: Heard
  private let spread: Figures
  private let width: Figures
  /// A line a tick: time stamp, first and last arrival, nanoseconds of CLOCK_MONOTONIC.
  let ticks: String

  init(_ band: Band) {
    heard = band.heard
    followers = heard.count
    rows = band.ticks.count
    total = heard.reduce(into: Heard(), +=)
    spread = Figures(band.ticks.spread)
    width = Figures(signed: zip(band.ticks.firsts, band.ticks.lasts).map { $1 - $0 })
    ticks = (0..<rows).map { row in
      let instants = [band.ticks.stamps[row], band.ticks.firsts[row], band.ticks.lasts[row]]
      return instants.map { "\($0.nanoseconds)" }.joined(separator: " ") + "\n"
    }.joined()
  }

  /// Whether every follower had every tick once, and all began together.
  var isComplete: Bool {
    rows > 0 && heard.allSatisfy { $0.ticks == rows && $0.missing == 0 && $0.doubled == 0 && $0.strays == 0 }
  }

  private var late: Int { heard.count { $0.starts == 0 } }

  private var counts: [(name: String, value: Int)] {
    [
      ("followers", followers), ("started", followers - late), ("stopped", heard.count { $0.stops > 0 }),
      ("ticks", rows), ("heard", total.ticks), ("recovered", total.recovered), ("missing", total.missing),
      ("doubled", total.doubled), ("strays", total.strays), ("lost", Int(total.lost)), ("refused", total.refused),
      ("unsent", total.unsent),
    ]
  }

  var text: String {
    var table = TextTable(columns: ["microseconds"] + Figures.columns)
    table.append(["after a tick's first arrival"] + spread.row)
    table.append(["its last after its first"] + width.row)
    return counts.map { "\($0.name)=\($0.value)" }.joined(separator: " ") + "\n" + table.description
  }

  var json: String {
    get throws {
      struct Body: Encodable {
        var event = "report"
        var counts: [String: Int]
        var spread: Figures
        var width: Figures
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let counts = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, $0.value) })
      return String(decoding: try encoder.encode(Body(counts: counts, spread: spread, width: width)), as: UTF8.self)
    }
  }
}

import Foundation
import Measurement
import MusicalTime
import ScoreFiles
import Scores

/// What `tutti score show` and `tutti score list` print about a score.
struct ScoreSummary {
  /// A metre or key, with the number of the bar from which it holds.
  struct Change: Hashable {
    var bar: String
    var text: String
  }

  /// The name by which the score was given.
  let name: String
  let score: Score
  let route: Route
  let path: TempoPath
  /// How many places were changed when the file was read.
  let findingCount: Int
  let metres: [Change]
  let keys: [Change]
  /// The number of notes of each part that are played, with all repeats.
  let playedNotes: [Int]
  private let timelines: [Timeline]

  /// Throws `ScoreFault` if the route is too long.
  init(name: String, _ file: ScoreImport) throws(ScoreFault) {
    (self.name, score, findingCount) = (name, file.score, file.findingCount)
    route = try ScoreLibrary.route(score, file: name)
    path = TempoPath(score, along: route)
    timelines = path.timelines(from: Instant(nanoseconds: 0))
    metres = Self.metres(score)
    keys = Self.keys(score)
    var counts = [Int](repeating: 0, count: score.parts.count)
    for event in EventTable(score, along: route).events { counts[Int(event.part)] += 1 }
    playedNotes = counts
  }

  var title: String {
    [score.title, score.movement].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func metres(_ score: Score) -> [Change] {
    score.bars.indices.compactMap { index in
      score.bars[index].metre.map { Change(bar: score.label(ofBar: index), text: $0.description) }
    }
  }

  /// The keys of the first part that does not transpose, or of the first part.
  private static func keys(_ score: Score) -> [Change] {
    let part =
      score.parts.first { part in
        !part.bars.flatMap(\.changes).contains { if case .transposition = $0.content { true } else { false } }
      } ?? score.parts[0]
    var changes: [Change] = []
    for (index, bar) in part.bars.enumerated() {
      for case .key(let key) in bar.changes.map(\.content) where key.name != changes.last?.text {
        changes.append(Change(bar: score.label(ofBar: index), text: key.name))
      }
    }
    return changes
  }

  /// The tempo at the beginning, and the slowest and fastest one.
  var tempos: (first: Tempo, slowest: Tempo, fastest: Tempo) {
    let list = path.changes.map(\.tempo)
    let order = { (a: Tempo, b: Tempo) in a.nanosecondsPerQuarter < b.nanosecondsPerQuarter }
    return (list[0], list.max(by: order) ?? list[0], list.min(by: order) ?? list[0])
  }

  /// The time at a tick from the beginning, in seconds.
  func seconds(at tick: Tick) -> Double {
    Double(timelines[path.index(at: tick)].deadline(tick).nanoseconds) / 1e9
  }

  /// The length in seconds, with the rests before a pick-up.
  var seconds: Double { seconds(at: Tick(route.end.rounded(times: Tick.perQuarter))) }

  /// The length in minutes and seconds: `2:05`.
  var lengthText: String {
    let seconds = Int(seconds.rounded())
    return String(format: "%d:%02d", seconds / 60, seconds % 60)
  }

  /// The order of the bars by the numbers in print, as ranges of bars that follow each other: `1-8 1-7 9`.
  var routeText: String {
    var ranges: [(first: Int, last: Int)] = []
    for played in route.bars {
      if let last = ranges.last?.last, played.bar == last + 1 {
        ranges[ranges.count - 1].last = played.bar
      } else {
        ranges.append((played.bar, played.bar))
      }
    }
    return ranges.map { range in
      let first = score.label(ofBar: range.first)
      return range.first == range.last ? first : "\(first)-\(score.label(ofBar: range.last))"
    }.joined(separator: " ")
  }
}

extension Score {
  /// The number of a bar in print; its place from 1 if none is printed.
  func label(ofBar index: Int) -> String { bars[index].number.isEmpty ? "\(index + 1)" : bars[index].number }
}

extension Key {
  /// `Bb major`, `2 flats` without a mode, or `9 sharps` beyond the usual keys.
  var name: String {
    let letters = ["F", "C", "G", "D", "A", "E", "B"]
    let tonic: Int? =
      switch mode {
      case .major, .ionian: 1
      case .minor, .aeolian: 4
      case .dorian: 3
      case .phrygian: 5
      case .lydian: 0
      case .mixolydian: 2
      case .locrian: 6
      case .none: nil
      }
    if let tonic, abs(Int(fifths)) <= 7 {
      let place = tonic + Int(fifths) + 14
      let alteration = place / 7 - 2
      return letters[place % 7] + String(repeating: alteration < 0 ? "b" : "#", count: abs(alteration)) + " \(mode)"
    }
    if fifths == 0 { return "no sharps or flats" }
    return "\(abs(Int(fifths))) \(fifths > 0 ? "sharp" : "flat")\(abs(Int(fifths)) == 1 ? "" : "s")"
  }
}

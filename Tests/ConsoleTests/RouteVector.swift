import Ensemble
import Foundation
import MusicalTime
import PeerProtocol
import ScoreFiles
import Scores

@testable import Console
@testable import Engine

/// A test vector for `ScoreRoute` of the page: the payload of a frame `route`, and the written bar that sounds at ticks, by ``ScorePlan``.
struct RouteVector: Encodable {
  struct Place: Encodable {
    var tick: Int64
    /// The written bar, and the tick at which it begins; nil after the last bar.
    var bar: Int?
    var start: Int64?
  }

  var name: String
  var route: RouteDescription
  var places: [Place]

  /// - Parameter lines: the lines of the schedule, each with the tick from which it applies.
  init(_ name: String, _ score: Score, _ lines: [PeerSnapshot.Stand.Line]) throws {
    let stand = PeerSnapshot.Stand(
      digest: lines[0].line.digest!, name: name, score: score, levels: [], lines: lines)
    (self.name, route) = (name, RouteDescription(stand))
    let plans = try lines.map { try ScorePlan($0.line, in: score) }
    let end = (lines.last?.tick.index ?? 0) > 0 ? lines.last!.tick.index + 3000 : 3000
    places = (-8...end).map { index in
      let tick = Tick(index)
      let current = lines.lastIndex { $0.tick <= tick } ?? 0
      let bar = plans[current].bar(at: max(tick, lines[current].line.origin))
      // The music of the first bar begins after the rests before a pick-up.
      let padding = plans[current].route.padding.floor(times: Tick.perQuarter)
      return Place(
        tick: index, bar: bar.map { plans[current].written($0) },
        start: bar.map { $0.tick.index + ($0.index == 0 ? padding : 0) })
    }
  }

  /// Scores of the project with repeats, jumps, a pick-up and changes of the metre; and a loop, and a jump of the leader.
  static func all() throws -> [RouteVector] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Patches/scores")
    let digest = DocumentDigest(high: 1, low: 2)!
    return try ["two-endings", "homeward", "seven-steps", "evening", "morning-round"].flatMap { name in
      let file = folder.appendingPathComponent("\(name).musicxml")
      let score = try ScoreImport(octets: [UInt8](Data(contentsOf: file)), file: file.lastPathComponent).score
      let whole = ScoreLine(digest)
      let loop = ScoreLine(digest, from: Tick(480), bar: 1, loopEnd: 3)
      let later = ScoreLine(digest, from: Tick(1200), bar: 2, pass: 1)
      func line(_ tick: Tick, _ line: ScoreLine) -> PeerSnapshot.Stand.Line { .init(tick: tick, line: line) }
      return [
        try RouteVector(name, score, [line(Tick(.min), whole)]),
        try RouteVector("\(name), loop", score, [line(Tick(.min), whole), line(Tick(480), loop)]),
        try RouteVector("\(name), jump", score, [line(Tick(.min), loop), line(Tick(1200), later)]),
      ]
    }
  }
}

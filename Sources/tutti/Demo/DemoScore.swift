import MusicalTime
import Scores

/// The score that the demo plays instead of a rhythm.
struct DemoScore {
  /// The name as the user has written it.
  let name: String
  /// The length in ticks, and in time.
  let ticks: Int64
  let duration: Nanoseconds
  /// The different instants at which notes begin.
  let onsets: Int

  /// - Throws: ``CommandError``, `ScoreFault`.
  init(_ name: String) throws {
    let score = try ScoreLibrary.read(name).score
    let route = try ScoreLibrary.route(score, file: name)
    self.name = name
    ticks = (ScorePosition(route.end).thousandths + 999) / 1000
    let timelines = TempoPath(score, along: route).timelines(from: Instant(nanoseconds: 0))
    duration = (timelines.last?.deadline(Tick(ticks)) ?? Instant(nanoseconds: 0)) - Instant(nanoseconds: 0)
    onsets = Set(EventTable(score, along: route).events.map(\.position.thousandths)).count
  }
}

import Audio
import Engine
import MusicalTime
import Scores

/// The notes of a score along its route. They sound on the same frames as on a sound card without drift.
struct ScoreSource: RenderSource {
  private let notes: [ScoreNote]
  private let tempo: TempoPath
  /// The timelines of the changes of ``tempo``.
  private let timelines: [Timeline]
  /// The next note that is passed to the renderer.
  private var next = 0
  private(set) var count: Int64 = 0
  /// The end of the last bar, or of the last note if it is later.
  let end: Instant

  /// - Parameter parts: the numbers of the parts that sound.
  init(_ score: Score, along route: Route, parts: Set<Int>) {
    tempo = TempoPath(score, along: route)
    timelines = tempo.timelines(from: Instant(nanoseconds: 0))
    let events = EventTable(score, along: route).events.filter { parts.contains(Int($0.part)) }
    notes = ScoreNote.notes(of: events, in: score)
    let last = events.reduce(ScorePosition(route.end)) { max($0, $1.end) }
    end = Self.instant(last.thousandths, tempo, timelines)
  }

  mutating func play(on renderer: inout Renderer, before instant: Instant) {
    while next < notes.count {
      let note = notes[next]
      let start = Self.instant(note.position, tempo, timelines)
      guard start <= instant else { break }
      let end = Self.instant(note.position + Int64(note.length), tempo, timelines)
      renderer.add(SoundEvent(note, velocity: note.velocity, from: start, until: end, step: start))
      next += 1
    }
    count = renderer.counters.hits
  }

  /// The instant of a position in thousandths of a tick, interpolated between two ticks.
  private static func instant(_ position: Int64, _ tempo: TempoPath, _ timelines: [Timeline]) -> Instant {
    let tick = ScorePosition(thousandths: position).tick
    let timeline = timelines[tempo.index(at: tick)]
    let start = timeline.deadline(tick)
    return start + Nanoseconds((timeline.deadline(tick + 1) - start).count * (position - tick.index * 1000) / 1000)
  }
}

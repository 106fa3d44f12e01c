import MusicalTime
import Playback

/// The master's schedule of decisions about the total activity.
///
/// The master decides shortly before each beat, so that all peers change layers at the same tick.
struct TotalSchedule: Sendable {
  /// The decision about a beat takes place the lead time plus this margin before the beat, so that a tempo change that is
  /// announced in between moves the beat only a little.
  static var margin: Nanoseconds { .milliseconds(10) }
  /// How long the total of a rhythm that was taken over stays unchanged, until all peers have sent their level to the new
  /// master.
  static var inquiry: Nanoseconds { .milliseconds(250) }

  /// The newest beat that was decided; nil before the first decision.
  var decidedBeat: Tick?
  /// No new total is decided before this instant, because not all peers have sent their level yet.
  var decidesFrom = Instant(nanoseconds: .min)
  /// The total is computed from the levels from this instant on. Before it, the total of a rhythm that was taken over stays.
  var computesFrom = Instant(nanoseconds: .min)
  /// The beat of the last change of the total, and whether the total rose; nil before the first change.
  var lastChange: (beat: Tick, rises: Bool)?
  /// When the newest total is sent again.
  var repeats = Repeats()

  /// Whether the total may rise or fall at `beat`: in the direction of the last change at any time. A reversal
  /// comes no earlier than one bar later.
  func permitsChange(rises: Bool, at beat: Tick, ticksPerBar: Int64) -> Bool {
    guard let lastChange, lastChange.rises != rises else { return true }
    return beat - lastChange.beat >= ticksPerBar
  }

  /// When the next beat is decided: the smallest instant if no beat was decided yet. `grid` is the distance of beats in ticks.
  func decisionDeadline(in schedule: PlaybackSchedule, lead: Nanoseconds, grid: Int64) -> Instant {
    guard let decidedBeat else { return Instant(nanoseconds: .min) }
    let beat = decidedBeat + grid
    return beat < schedule.end ? schedule.deadline(beat) - lead - Self.margin : .distantFuture
  }

  /// When there is something to do next.
  func nextDeadline(in schedule: PlaybackSchedule, lead: Nanoseconds, grid: Int64) -> Instant {
    min(repeats.nextDeadline, decisionDeadline(in: schedule, lead: lead, grid: grid))
  }
}

import MusicalTime
import Playback

/// The deadlines of the master's decisions about the total activity.
///
/// The master decides shortly before each beat, so that all peers change layers at the same tick. A beat is a quarter note, or a
/// bar if the layers of the patch change on bars.
struct TotalSchedule: Sendable {
  /// The master decides about each beat in advance: the lead time plus this margin before the beat. A tempo change takes effect one lead
  /// time after its announcement. A tempo change that is announced after the decision therefore takes effect at most this margin before
  /// the beat, and moves the beat only a little.
  static var margin: Nanoseconds { .milliseconds(10) }
  /// How long the total stays unchanged after a takeover. In this time all peers send their activity to the new master.
  static var inquiry: Nanoseconds { .milliseconds(250) }

  /// The newest beat that was decided; nil before the first decision.
  var decidedBeat: Tick?
  /// No new total is decided before this instant. If the local peer has taken over the rhythm, or has restored it after a crash, the
  /// instant is ``inquiry`` after the first call of ``EnsembleState/decideTotal(at:)``. Until then, not all peers
  /// have sent their activity.
  var decidesFrom = Instant(nanoseconds: .min)
  /// The instant from which ``EnsembleState/totalActivity(at:)`` is computed from the activities of the peers. Only a takeover sets this
  /// instant, to ``inquiry`` after the takeover. Before this instant, the result is the total of the rhythm that was
  /// taken over.
  var computesFrom = Instant(nanoseconds: .min)
  /// The beat of the last change of the total, and whether the total rose; nil before the first change.
  var lastChange: (beat: Tick, rises: Bool)?
  /// When the newest total is sent again.
  var repeats = Repeats()

  /// Whether the total may rise or fall at `beat`. A change in the same direction as the last change is always permitted. A change
  /// in the other direction is permitted from one bar after the last change.
  func permitsChange(rises: Bool, at beat: Tick, ticksPerBar: Int64) -> Bool {
    guard let lastChange, lastChange.rises != rises else { return true }
    return beat - lastChange.beat >= ticksPerBar
  }

  /// The instant of the next decision; the smallest instant if no beat was decided yet. `grid` is the distance between beats, in ticks.
  func decisionDeadline(in schedule: PlaybackSchedule, lead: Nanoseconds, grid: Int64) -> Instant {
    guard let decidedBeat else { return Instant(nanoseconds: .min) }
    let beat = decidedBeat + grid
    return beat < schedule.end ? schedule.deadline(beat) - lead - Self.margin : .distantFuture
  }

  /// The instant of the next repeat or decision.
  func nextDeadline(in schedule: PlaybackSchedule, lead: Nanoseconds, grid: Int64) -> Instant {
    min(repeats.nextDeadline, decisionDeadline(in: schedule, lead: lead, grid: grid))
  }
}

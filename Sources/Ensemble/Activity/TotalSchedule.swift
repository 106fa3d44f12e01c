import MusicalTime

/// The deadlines of the master's decisions about the total activity.
///
/// The master decides shortly before each beat, so that all peers change layers at the same tick. A beat is a quarter note, or a
/// bar if the layers of the patch change on bars.
struct TotalSchedule: Sendable {
  /// The master decides about each beat in advance: the lead time plus this margin before the beat. A tempo change takes effect one lead
  /// time after its announcement. A tempo change that is announced after the decision therefore takes effect at most this margin before
  /// the beat, and moves the beat only a little.
  static var margin: Nanoseconds { .milliseconds(10) }
  /// How long the total stays unchanged after a takeover, and after a restored rhythm. In this time all peers send their activity to the
  /// new master.
  static var inquiry: Nanoseconds { .milliseconds(250) }

  /// The newest beat that was decided.
  var decidedBeat: Tick
  /// The first instant at which the master decides a total. After a takeover or a restoration, this instant is ``inquiry`` later. Until then,
  /// the total of the continued rhythm applies, because not all peers have sent their activity to the new master.
  var decidesFrom = Instant(nanoseconds: .min)
  /// The beat of the last change of the total, and whether the total rose; nil before the first change.
  var lastChange: (beat: Tick, rises: Bool)?

  /// Whether the total may rise or fall at `beat`. A change in the same direction as the last change is always permitted. A change
  /// in the other direction is permitted from one bar after the last change.
  func permitsChange(rises: Bool, at beat: Tick, ticksPerBar: Int64) -> Bool {
    guard let lastChange, lastChange.rises != rises else { return true }
    return beat - lastChange.beat >= ticksPerBar
  }
}

public import MusicalTime

/// Decides from which tick on a rhythm sounds that the local peer receives only while it plays.
///
/// A peer that does not have the rhythm of the schedule is silent. When it has received the rhythm, it enters at the next bar line. A rhythm
/// that the peer has from the start of a run sounds from the first step on. The bar line can lie inside a step, because the bars of a score
/// can have any length. The rhythm then sounds from this step on.
public struct RhythmEntry: Sendable, BitwiseCopyable {
  /// The first run of the series of the last step.
  private var series: UInt32 = 0
  /// Whether the rhythm was missing at the last step, so that it sounds from the next bar line on.
  private var awaitsBar = false

  public init() {}

  /// Whether the rhythm of `schedule` sounds at `tick`, which begins a step. Call the function for each step in order.
  ///
  /// - Parameter hasRhythm: whether the local peer has the rhythm of this tick.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func sounds(at tick: Tick, of schedule: PlaybackSchedule, hasRhythm: Bool) -> Bool {
    if schedule.firstRun != series { (series, awaitsBar) = (schedule.firstRun, false) }
    awaitsBar = !hasRhythm || awaitsBar && schedule.grid.line(notBefore: tick) - tick >= Tick.perStep
    return !awaitsBar
  }
}

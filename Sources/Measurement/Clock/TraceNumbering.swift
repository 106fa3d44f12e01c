import MusicalTime

/// Counts the ticks between consecutive tick lines of a trace, and calculates the mean length of a tick by the due instants.
///
/// ``ClockStamps`` uses this type to read a trace.
struct TraceNumbering {
  private var previous: TraceTick?
  /// The sums of the ticks and of the nanoseconds between consecutive lines of the same run.
  private var (ticks, nanoseconds): (Int64, Int128) = (0, 0)

  /// The shortest length of a tick within a run in nanoseconds. A tick at the fastest tempo, 999 BPM, takes 2.5 ms. If the time between
  /// the due instants of two lines is less than this value for each tick between them, the lines belong to different runs.
  private static let shortestTick: Int64 = 2_400_000
  /// The longest gap in ticks within a run: 100 quarter notes. After a longer gap a new run begins, because the phase before the gap says
  /// little about the phase after it.
  private static let longestGap: Int64 = 2400

  /// The mean length of a tick by the due instants, in nanoseconds; nil if no run has two ticks.
  var period: Double? { ticks > 0 ? Double(nanoseconds) / Double(ticks) : nil }

  /// Returns the number of ticks from the previous line to `tick`, or ``ClockStamps/restart`` if a new run begins.
  ///
  /// A new run begins as in ``Trace/runs``, and also after a gap of more than 2400 ticks or if the ticks are too fast. There is one
  /// exception: a tick with the same number as the previous line and nearly the same due instant is a repetition. The result is then 0.
  mutating func advance(to tick: TraceTick) -> Int32 {
    defer { previous = tick }
    guard let previous else { return ClockStamps.restart }
    let (advance, overflow) = tick.tick.index.subtractingReportingOverflow(previous.tick.index)
    guard !overflow else { return ClockStamps.restart }
    let interval = tick.due - previous.due
    if advance == 0, interval.magnitude.count < Self.shortestTick { return 0 }
    guard !Trace.beginsRun(tick, after: previous), advance <= Self.longestGap,
      interval.count >= advance * Self.shortestTick
    else { return ClockStamps.restart }
    ticks += advance
    nanoseconds += Int128(interval.count)
    return Int32(advance)
  }
}

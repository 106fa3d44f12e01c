import MusicalTime

/// Counts the ticks between consecutive lines of a trace, and finds the tempo of its due instants.
struct TraceNumbering {
  private var previous: TraceTick?
  /// The sums over all pairs of consecutive lines of a run.
  private var (ticks, nanoseconds): (Int64, Int128) = (0, 0)

  /// A tick at the fastest tempo, 999 BPM, takes 2.5 ms. Tick numbers that increase faster are not those of one run.
  private static let shortestTick: Int64 = 2_400_000
  /// The longest gap in ticks within a run: 100 quarter notes. A longer gap counts as a pause, because the phase before
  /// it says little about the phase after it.
  private static let longestGap: Int64 = 2400

  /// The mean length of a tick by the due instants, in nanoseconds; nil without two ticks of one run.
  var period: Double? { ticks > 0 ? Double(nanoseconds) / Double(ticks) : nil }

  /// Returns the number of ticks from the previous line to `tick`, or ``ClockStamps/restart`` if a new run begins. A
  /// run begins as in ``Trace/runs``. A tick with the number of the previous line and nearly its due instant is the
  /// same tick again.
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

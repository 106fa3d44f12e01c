extension ClockAnalysis {
  /// Writes comments with the provenance, a line with the titles of the columns, and one row for each stamp.
  ///
  /// | column | content |
  /// |---|---|
  /// | `run` | the number of the run, from 0 |
  /// | `tick` | the number of the tick in its run, from 0. A lost tick has a number, but no row |
  /// | `time_ns` | the stamp |
  /// | `interval_ns` | the time since the previous tick; empty after a lost tick and at the start of a run |
  /// | `phase_ns` | the phase error: the stamp minus the best-fit line |
  /// | `state` | `late` if the phase error is more than half a tick, `doubled` for a doubled tick, otherwise `ok` |
  ///
  /// A doubled tick is a stamp that repeats a tick (``TickNumbering``). Its row has the number of the previous tick, and neither an
  /// interval nor a phase error.
  ///
  /// - Parameter output: is called with the text, in parts of about 64 KiB.
  ///
  /// Real-time: not safe.
  public func writeCSV(_ output: (String) -> Void) {
    var text = report.provenance.lines.map { "# \($0)\n" }.joined()
    text += "run,tick,time_ns,interval_ns,phase_ns,state\n"
    var numbering = TickNumbering(clock, period: approximatePeriod)
    // `index` is the position in the phase series, in which a lost tick also has a value (NaN).
    var (run, tick, index) = (-1, 0, -1)
    // The stamp of the last tick that was not doubled.
    var lastStamp: Int64 = 0
    for (number, stamp) in clock.stamps.enumerated() {
      // The number of ticks since the previous stamp; nil at the start of a run, 0 for a doubled tick.
      let advance = numbering.advance(number)
      if advance == 0 {
        text += "\(run),\(tick),\(stamp),,,doubled\n"
      } else {
        tick = advance.map { tick + $0 } ?? 0
        run += advance == nil ? 1 : 0
        index += advance ?? 1
        let error = phase.series.phase[index]
        let interval = advance == 1 ? "\(stamp - lastStamp)" : ""
        text +=
          "\(run),\(tick),\(stamp),\(interval),\((error as Double?).fixed(1)),\(error > phase.period / 2 ? "late" : "ok")\n"
        lastStamp = stamp
      }
      if text.utf8.count > 1 << 16 {
        output(text)
        text = ""
      }
    }
    output(text)
  }
}

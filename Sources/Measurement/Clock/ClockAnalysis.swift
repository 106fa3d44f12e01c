/// The analysis of one clock for `tutti measure clock`: its stamps, the phase errors of its ticks, and the figures.
public struct ClockAnalysis {
  /// The stamps. If the input contains no tick numbers, ``TickNumbering`` has determined ``ClockStamps/advances``.
  public let clock: ClockStamps
  /// The phase errors.
  let phase: ClockPhase
  /// The figures.
  public var report: ClockReport

  /// The permitted tempi in beats per minute: those of the program, and a tolerance of 4 % at the fast end for the errors of a clock.
  private static let tempi = 20.0...1040

  /// Measures `clock`.
  ///
  /// - Parameters:
  ///   - nominalBPM: the tempo that the clock should have, 20 to 1040 BPM; nil if unknown. The ticks are numbered by it
  ///     (``TickNumbering``). If it is nil and the acted instants of a trace are measured (``ClockStamps/Source``), the nominal tempo is
  ///     that of the due instants.
  ///   - ticksPerQuarter: the number of ticks of a quarter note, 24 for a MIDI clock.
  ///   - skipping: the number of ticks at the beginning of each run that are not measured. A lost tick counts.
  ///   - provenance: the origin of the figures, for the report.
  /// - Throws: ``ReportError`` if no run has three ticks, if the stamps do not advance, if most ticks are missing, or if a tempo is
  ///   outside 20 to 1040 BPM.
  ///
  /// Real-time: not safe.
  public init(
    _ clock: ClockStamps, nominalBPM: Double? = nil, ticksPerQuarter: Int = 24, skipping: Int = 0,
    provenance: Provenance
  ) throws(ReportError) {
    let tooFewTicks = ReportError(
      subject: clock.name, reason: "fewer than 3 ticks in succession",
      remedy: "record at least 3 ticks of a running clock")
    guard clock.stamps.count >= 3 else { throw tooFewTicks }
    if let nominalBPM, !Self.tempi.contains(nominalBPM) {
      throw ReportError(
        subject: "--nominal", reason: "\(nominalBPM) BPM is outside 20 to 1040 BPM",
        remedy: "give the tempo in quarter notes per minute")
    }
    // The length of a tick at the nominal tempo in nanoseconds.
    let given = nominalBPM.map { 60e9 / ($0 * Double(ticksPerQuarter)) }
    var clock = clock
    if clock.advances.isEmpty { try clock.number(nominalPeriod: given) }
    try clock.removeFirstTicks(skipping)
    let phase = try ClockPhase(clock, approximatePeriod: max(clock.duePeriod ?? clock.meanPeriod, 1))
    let series = phase.series
    guard series.runs.contains(where: { run in run.lazy.filter { !series.phase[$0].isNaN }.prefix(3).count == 3 })
    else { throw tooFewTicks }
    guard phase.period > 0 else {
      throw ReportError(
        subject: clock.name, reason: "the stamps do not advance", remedy: "record the stamps with a finer clock")
    }
    let tempo = 60e9 / (phase.period * Double(ticksPerQuarter))
    guard Self.tempi.contains(tempo) else {
      throw ReportError(
        subject: clock.name,
        reason:
          "the tempo is \(tempo.short) BPM with \(ticksPerQuarter) ticks in a quarter note, outside 20 to 1040 BPM",
        remedy:
          "give the ticks in a quarter note with --ticks-per-quarter (1 for a click track), and the column and the "
          + "unit of the stamps with --column and --unit")
    }
    (self.clock, self.phase) = (clock, phase)
    // The due instants of a trace give the nominal tempo of its acted instants.
    let due = clock.source == .acted ? clock.duePeriod : nil
    report = ClockReport(
      clock, phase, nominal: given.map { ($0, "option") } ?? due.map { ($0, "due instants") },
      ticksPerQuarter: ticksPerQuarter,
      provenance: provenance)
  }

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
  /// A doubled tick is a stamp that repeats a tick. Its row has the number of the previous tick, and neither an
  /// interval nor a phase error.
  ///
  /// - Parameter output: is called with the text, in parts of about 64 KiB.
  ///
  /// Real-time: not safe.
  public func writeCSV(_ output: (String) -> Void) {
    var text = report.provenance.lines.map { "# \($0)\n" }.joined()
    text += "run,tick,time_ns,interval_ns,phase_ns,state\n"
    // `index` is the position in the phase series, in which a lost tick also has a value (NaN).
    var (run, tick, index) = (-1, 0, -1)
    // The stamp of the last tick that was not doubled.
    var lastStamp: Int64 = 0
    for (number, stamp) in clock.stamps.enumerated() {
      // The number of ticks since the previous stamp; nil at the start of a run, 0 for a doubled tick.
      let advance = clock.advances[number] == ClockStamps.restart ? nil : Int(clock.advances[number])
      if advance == 0 {
        text += "\(run),\(tick),\(stamp),,,doubled\n"
      } else {
        tick = advance.map { tick + $0 } ?? 0
        run += advance == nil ? 1 : 0
        index += advance ?? 1
        let error = phase.series.phase[index]
        let interval = advance == 1 ? "\(stamp - lastStamp)" : ""
        text +=
          "\(run),\(tick),\(stamp),\(interval),\(error.fixed(1)),\(error > phase.period / 2 ? "late" : "ok")\n"
        lastStamp = stamp
      }
      if text.utf8.count > 1 << 16 {
        output(text)
        text = ""
      }
    }
    output(text)
  }

  /// Writes comments with the provenance and the length of a window, a line with the titles of the columns, and one row for each window of
  /// the tempo over time (``TempoCurve``): `run`, `time_s`, `tempo_bpm`, `standard_error_bpm`, `ticks`.
  ///
  /// - Parameter output: is called with the text.
  ///
  /// Real-time: not safe.
  public func writeTempoCSV(_ output: (String) -> Void) {
    output(report.provenance.lines.map { "# \($0)\n" }.joined())
    output("# window: \(report.tempoCurve.window) ticks\nrun,time_s,tempo_bpm,standard_error_bpm,ticks\n")
    for row in report.tempoCurve.rows {
      output("\(row.run),\(row.seconds.fixed(6)),\(row.tempo.fixed(6)),\(row.standardError.scientific),\(row.ticks)\n")
    }
  }

  /// Returns the histogram of the magnitude of the phase error, in the format of `cyclictest --histogram`.
  ///
  /// A bin is one microsecond wide. Each line contains the lower edge of a bin in microseconds and the number of ticks in it, separated
  /// by a space. The lines after the bins begin with `#`. They state the number of ticks in the bins, the minimum, mean and maximum, and
  /// the number of ticks beyond the last bin.
  ///
  /// - Parameter limit: the number of bins, at least 1.
  ///
  /// Real-time: not safe.
  public func histogram(limit: Int) -> String {
    var bins = [Int](repeating: 0, count: limit)
    var overflows = 0
    for error in phase.series.phase where !error.isNaN {
      let bin = abs(error) / 1e3
      if bin < Double(limit) { bins[Int(bin)] += 1 } else { overflows += 1 }
    }
    func padded(_ number: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(6 - text.count, 0)) + text
    }
    func whole(_ nanoseconds: Double) -> String { padded(Int((nanoseconds / 1e3).rounded(.down))) }
    let magnitude = report.phaseMagnitude
    var text = report.provenance.lines.map { "# \($0)\n" }.joined()
    text += "# Histogram of the magnitude of the phase error, us\n"
    for (bin, count) in bins.enumerated() { text += "\(padded(bin)) \(padded(count))\n" }
    text += "# Total: \(padded(magnitude.count - overflows))\n"
    text += "# Min Latencies: \(whole(magnitude.minimum))\n"
    text += "# Avg Latencies: \(whole(magnitude.mean))\n"
    text += "# Max Latencies: \(whole(magnitude.maximum))\n"
    text += "# Histogram Overflows: \(String(repeating: "0", count: max(5 - "\(overflows)".count, 0)))\(overflows)\n"
    return text
  }

  /// The approximate number of columns of the phase error over time. A column shows the minimum and the maximum of its ticks, so that no
  /// peak is lost.
  private static let columns = 1000

  /// Returns a gnuplot script that draws the phase error over time, its histogram, the tempo over time, and the Allan deviation. The script contains its data,
  /// reads no file, needs gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    let stability = report.stability.map { row in
      let interval = row.allan.interval ?? row.allan.value...row.allan.value
      return "\(row.seconds) \(row.allan.value) \(interval.lowerBound) \(interval.upperBound)"
    }
    let color = Gnuplot.color(0)
    let series = timeSeries
    let points = series.flatMap { column in column.map { [(x: $0.time, y: $0.low), (x: $0.time, y: $0.high)] } ?? [] }
    let robust = RobustRange(points.map(\.y))
    let outside = robust?.outside("outside", points, unit: "µs")
    let extremes = report.phase.minimum...report.phase.maximum
    let histogram = Gnuplot.histogram(phase.errors { $0 }, in: robust?.range.scaled(by: 1e3) ?? extremes)
    let guides = SlopeGuides(report.stability.map { ($0.seconds, $0.allan.value) })
    // An empty line ends each run.
    let rows = report.tempoCurve.rows
    let tempo = rows.enumerated().flatMap { index, row in
      let line = "\(row.seconds) \(row.tempo) \(1.96 * (row.standardError ?? 0))"
      return index > 0 && rows[index - 1].run != row.run ? ["", line] : [line]
    }
    return Gnuplot.script(
      picture, title: "\(report.ticks) ticks, \(report.tempo.value.fixed(4)) BPM; \(report.provenance.title)",
      data: Gnuplot.data("series", series.map { column in column.map { "\($0.time) \($0.low) \($0.high)" } ?? "" })
        + Gnuplot.data("histogram", histogram) + Gnuplot.data("stability", stability) + (outside?.data ?? "")
        + Gnuplot.data("tempo", tempo) + Gnuplot.data("spectrum", report.spectrum?.plotLines ?? []),
      [
        Gnuplot.Panel(
          x: "time / s", y: "phase error / µs", settings: robust.map { [$0.setting] } ?? [],
          curves: [
            "$series using 1:2:3 with filledcurves \(color) notitle", "$series using 1:2 with lines \(color) notitle",
            "$series using 1:3 with lines \(color) notitle",
          ] + [outside?.curve].compactMap(\.self)),
        Gnuplot.Panel(
          x: "time / s", y: "tempo / BPM",
          curves: rows.isEmpty
            ? []
            : [
              "$tempo using 1:2:3 with yerrorbars pt 7 ps 0.3 \(color) "
                + "title 'windows of \(report.tempoCurve.window) ticks, 95 % interval'"
            ]),
        Gnuplot.Panel(
          x: RobustRange.label("phase error / µs", robust), y: "ticks",
          settings: Gnuplot.countAxis + ["set style fill solid"],
          curves: ["$histogram using 1:2 with boxes \(color) notitle"]),
        Gnuplot.Panel(
          x: "observation time / s", y: "Allan deviation", settings: guides?.settings ?? [],
          curves: (guides?.curves ?? []) + [
            "$stability using 1:2:3:4 with yerrorlines pt 7 ps 0.5 \(color) title 'Allan deviation, 95 % interval'"
          ]),
        Gnuplot.Panel(
          x: "frequency / Hz", y: "phase density / (µs²/Hz)", settings: report.spectrum?.plotAxes ?? [],
          curves: report.spectrum.map { _ in ["$spectrum using 1:2 with lines \(color) notitle"] } ?? []),
      ])
  }

  /// The columns of the plot of the phase error: the time in seconds, and the smallest and the largest phase error in microseconds. Nil
  /// ends each run.
  private var timeSeries: [(time: Double, low: Double, high: Double)?] {
    let (series, period) = (phase.series, phase.period)
    let width = max(1, series.phase.count / Self.columns)
    var (columns, start): ([(time: Double, low: Double, high: Double)?], Double) = ([], 0)
    for run in series.runs {
      for first in stride(from: run.lowerBound, to: run.upperBound, by: width) {
        let values = series.phase[first..<min(first + width, run.upperBound)].filter { !$0.isNaN }
        guard let low = values.min(), let high = values.max() else { continue }
        columns.append(((start + Double(first - run.lowerBound) * period) / 1e9, low / 1e3, high / 1e3))
      }
      // The plot omits the pauses between runs: each run begins where the previous run ends.
      start += Double(run.count) * period
      columns.append(nil)
    }
    return columns
  }
}

/// The analysis of one clock for `tutti measure clock`: its stamps, the phase errors of its ticks, and the figures.
public struct ClockAnalysis {
  /// The stamps.
  public let clock: ClockStamps
  /// The phase errors.
  let phase: ClockPhase
  /// The approximate length of a tick in nanoseconds: by the due instants of the trace, or estimated from the stamps.
  /// ``TickNumbering`` derives the tick numbers from it.
  let approximatePeriod: Double
  /// The figures.
  public var report: ClockReport

  /// Measures `clock`.
  ///
  /// - Parameters:
  ///   - nominalBPM: the tempo that the clock should have; nil if unknown. If it is nil and the acted instants of a trace are measured
  ///     (``ClockStamps/Source``), the nominal tempo is that of the due instants.
  ///   - ticksPerQuarter: the number of ticks of a quarter note, 24 for a MIDI clock.
  ///   - provenance: the origin of the figures, for the report.
  /// - Throws: ``ReportError`` if no run has three ticks, if the stamps do not advance, or if most ticks are missing.
  ///
  /// Real-time: not safe.
  public init(
    _ clock: ClockStamps, nominalBPM: Double? = nil, ticksPerQuarter: Int = 24, provenance: Provenance
  ) throws(ReportError) {
    let tooFewTicks = ReportError(
      subject: clock.name, reason: "fewer than 3 ticks in succession",
      remedy: "record at least 3 ticks of a running clock")
    guard clock.stamps.count >= 3 else { throw tooFewTicks }
    // The length of a tick at the nominal tempo in nanoseconds.
    let given = nominalBPM.map { 60e9 / ($0 * Double(ticksPerQuarter)) }
    guard let period = clock.duePeriod ?? TickNumbering.period(of: clock, approximate: given) else { throw tooFewTicks }
    guard period >= 1 else {
      throw ReportError(
        subject: clock.name, reason: "most stamps do not differ from the stamp before",
        remedy: "record the stamps with a finer clock, or give the tempo with --nominal")
    }
    let phase = try ClockPhase(clock, approximatePeriod: period)
    let series = phase.series
    guard series.runs.contains(where: { run in run.lazy.filter { !series.phase[$0].isNaN }.prefix(3).count == 3 })
    else { throw tooFewTicks }
    guard phase.period > 0 else {
      throw ReportError(
        subject: clock.name, reason: "the stamps do not advance", remedy: "record the stamps with a finer clock")
    }
    (self.clock, self.phase, approximatePeriod) = (clock, phase, period)
    report = ClockReport(
      clock, phase, nominal: ClockReport.Nominal(given: given, of: clock), ticksPerQuarter: ticksPerQuarter,
      provenance: provenance)
  }
}

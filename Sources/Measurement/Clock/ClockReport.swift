/// The figures of one clock, as `tutti measure clock` prints them. The article <doc:ClockFigures> defines each figure.
///
/// Real-time: not safe.
public struct ClockReport: Sendable {
  /// A figure with its standard error.
  public struct Estimate: Hashable, Sendable {
    /// The figure.
    public let value: Double
    /// The standard error of ``value``; nil with too few ticks.
    public let standardError: Double?
    /// The 95 % interval, which also allows for slow noise that white noise hides; nil with too few ticks.
    public let interval: ClosedRange<Double>?
  }

  /// The program, the input and the recording system.
  public let provenance: Provenance
  /// Whether the due or the acted instants of a trace were measured; nil for an input that is not a trace.
  public let source: ClockStamps.Source?
  /// The number of ticks that are present, each counted once.
  public let ticks: Int
  /// The number of uninterrupted runs of the clock.
  public let runs: Int
  /// The number of ticks that are missing within a run.
  public let lost: Int
  /// The number of stamps that repeat a tick.
  public let doubled: Int
  /// The number of ticks that came more than half a tick after the best-fit line.
  public let late: Int
  /// The intervals between ticks with consecutive numbers, in nanoseconds; nil without such ticks.
  public let interval: Distribution?
  /// The phase errors, which are the stamps minus the best-fit line, in nanoseconds.
  public let phase: Distribution
  /// The absolute values of ``phase``.
  public let phaseMagnitude: Distribution
  /// The largest minus the smallest phase error in nanoseconds.
  public var peakToPeak: Double { phase.maximum - phase.minimum }
  /// The tempo of the best-fit line in beats per minute.
  public let tempo: Estimate
  /// The nominal tempo in beats per minute; nil if unknown.
  public let nominalTempo: Double?
  /// The origin of the nominal tempo, "option" or "due instants"; nil if the nominal tempo is unknown.
  public let nominalSource: String?
  /// The relative difference of the measured tempo from the nominal tempo in parts per million, positive for a fast clock; nil if the
  /// nominal tempo is unknown.
  public let drift: Estimate?
  /// The tempo over time, in at most 500 windows.
  public let tempoCurve: TempoCurve
  /// The tempo over time in at most 20 windows, for the text.
  private let tempoSections: TempoCurve
  /// The stability over observation times of 1, 2, 4, ... ticks.
  public let stability: [ClockStability]
  /// The power spectral density of the phase errors; nil without 64 ticks in succession.
  public let spectrum: PhaseSpectrum?
  /// The resolution of the stamps in nanoseconds; nil if it is finer than 10 us, or contributes less than a tenth of the standard deviation
  /// of the phase errors.
  public let resolution: Double?
  /// Warnings about the input for the user, each in one line.
  public let warnings: [String]
  /// The jitter floor of the audio interface that recorded the clock; nil if it was not measured.
  public var loopback: LoopbackFloor?

  /// Calculates the figures.
  ///
  /// - Parameter nominal: the length of a tick at the nominal tempo in nanoseconds, and the value of ``nominalSource``; nil if unknown.
  init(
    _ clock: ClockStamps, _ phase: ClockPhase, nominal: (period: Double, source: String)?, ticksPerQuarter: Int,
    provenance: Provenance
  ) {
    (self.provenance, source) = (provenance, clock.source)
    (ticks, runs, lost, doubled) = (phase.ticks, phase.series.runs.count, phase.lost, phase.doubled)
    interval = phase.intervals
    late = phase.series.phase.count { $0 > phase.period / 2 }
    // `ClockAnalysis` requires three ticks, so the distributions are not nil.
    self.phase = Distribution(phase.errors { $0 })!
    phaseMagnitude = Distribution(phase.errors { abs($0) })!
    let quarter = phase.period * Double(ticksPerQuarter)
    func estimate(_ value: Double, scale: Double) -> Estimate {
      guard let error = phase.periodError else { return Estimate(value: value, standardError: nil, interval: nil) }
      let half = error.halfWidth / phase.period * scale
      return Estimate(
        value: value, standardError: error.standardError / phase.period * scale, interval: value - half...value + half)
    }
    tempo = estimate(60e9 / quarter, scale: 60e9 / quarter)
    nominalTempo = nominal.map { 60e9 / ($0.period * Double(ticksPerQuarter)) }
    nominalSource = nominal?.source
    drift = nominal.map {
      estimate(($0.period - phase.period) / phase.period * 1e6, scale: $0.period / phase.period * 1e6)
    }
    tempoCurve = TempoCurve(phase, clock, ticksPerQuarter: ticksPerQuarter, limit: 500)
    let sections = TempoCurve.window(phase.series.phase.count, ticksPerQuarter: ticksPerQuarter, limit: 20)
    tempoSections =
      sections == tempoCurve.window
      ? tempoCurve : TempoCurve(phase, clock, ticksPerQuarter: ticksPerQuarter, limit: 20)
    stability = ClockStability.octaves(of: phase.series, period: phase.period)
    spectrum = PhaseSpectrum(of: phase.series, period: phase.period)
    let deviation = self.phase.standardDeviation ?? 0
    resolution = clock.coarseResolution.flatMap {
      clock.resolution != nil || $0 / 12.0.squareRoot() > deviation / 10 ? $0 : nil
    }
    warnings =
      clock.warnings + Self.warnings(clock, resolution) + Self.warnings(clock, step: phase.period, nominalTempo)
      + Self.warnings(clock, phase, self.phase)
      + Self.warnings(clock, tempo.value, nominalTempo)
  }

  /// Returns a warning about coarse stamps. The rounding errors of stamps are uniform over the resolution r, so that their standard
  /// deviation is r / sqrt(12).
  private static func warnings(_ clock: ClockStamps, _ resolution: Double?) -> [String] {
    guard let resolution else { return [] }
    return [
      "\(clock.name): the stamps have a resolution of \(resolution.microseconds) us, so each phase error can be wrong by up to this "
        + "time; the resolution contributes \((resolution / 12.0.squareRoot()).microseconds) us to the sd of the phase errors"
    ]
  }

  /// Returns a warning if the step of the stamps makes the tick numbers ambiguous.
  ///
  /// - Parameter period: the length of a tick in nanoseconds.
  private static func warnings(_ clock: ClockStamps, step period: Double, _ nominal: Double?) -> [String] {
    guard let step = clock.ambiguousStep(period: period) else { return [] }
    return [
      "\(clock.name): the stamps are multiples of \(step.microseconds) us, more than a third of a tick, so the tempo, and the lost and doubled "
        + "ticks, can be wrong; record the stamps with a finer clock" + (nominal == nil ? ", or give --nominal" : "")
    ]
  }

  /// Returns a warning if the tempo is not that of `--nominal`, by which the ticks are numbered.
  private static func warnings(_ clock: ClockStamps, _ tempo: Double, _ nominal: Double?) -> [String] {
    guard let nominal, abs(tempo / nominal - 1) > TickNumbering.nominalTolerance else { return [] }
    return [
      "\(clock.name): the measured tempo differs from the nominal tempo by \(((tempo / nominal - 1) * 100).fixed(1)) %; "
        + "if the nominal tempo is right, ticks are lost or doubled, and their numbers are uncertain"
    ]
  }

  /// Returns a warning for each reason why the figures may not be those of one steady clock.
  private static func warnings(_ clock: ClockStamps, _ phase: ClockPhase, _ error: Distribution) -> [String] {
    var warnings: [String] = []
    if let pause = phase.longestPause {
      let stops = phase.series.runs.count - 1
      warnings.append(
        "\(clock.name): the clock stopped \(stops == 1 ? "once, for" : "\(stops) times, for up to") "
          + "\(Double(pause).fixed(3, scale: 1e-9)) s; no figure combines ticks from before and after a stop"
      )
    }
    if max(error.maximum, -error.minimum) > phase.period {
      warnings.append(
        "\(clock.name): the tempo is not constant: a tick is more than one tick length from the best-fit line; "
          + "measure parts with one tempo separately")
    }
    if clock.uncertainNumbers * 300 > phase.ticks {
      warnings.append(
        "\(clock.name): the phase errors of \(clock.uncertainNumbers) of \(phase.ticks) ticks reach half a tick, so their tick "
          + "numbers, and the lost and doubled ticks, are uncertain; give the tempo with --nominal")
    }
    if (phase.lost + phase.doubled) * 10 > phase.ticks {
      warnings.append(
        "\(clock.name): more than a tenth of the ticks are lost or doubled; give the ticks in a quarter note with "
          + "--ticks-per-quarter (1 for a click track), and the tempo with --nominal")
    }
    return warnings
  }
}

extension ClockReport.Estimate {
  /// The 95 % interval as text, with a comma before it; empty without an interval.
  fileprivate func intervalText(places: Int) -> String {
    interval.map { ", 95 % interval \($0.lowerBound.fixed(places)) to \($0.upperBound.fixed(places))" } ?? ""
  }
}

extension ClockReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "provenance": provenance, "source": source, "ticks": ticks, "runs": runs, "lost": lost, "doubled": doubled,
      "late": late, "interval": interval, "phase": phase, "phase_magnitude": phaseMagnitude,
      "phase_peak_to_peak_us": peakToPeak / 1e3, "tempo_bpm": tempo.value,
      "tempo_standard_error_bpm": tempo.standardError, "tempo_low_bpm": tempo.interval?.lowerBound,
      "tempo_high_bpm": tempo.interval?.upperBound, "nominal_bpm": nominalTempo, "nominal_source": nominalSource,
      "drift_ppm": drift?.value, "drift_standard_error_ppm": drift?.standardError,
      "drift_low_ppm": drift?.interval?.lowerBound, "drift_high_ppm": drift?.interval?.upperBound,
      "stability": stability, "tempo_over_time": tempoCurve, "spectrum": spectrum, "warnings": warnings,
      "resolution_us": resolution.map { $0 / 1e3 }, "loopback": loopback,
    ])
  }
}

extension ClockReport: CustomStringConvertible {
  /// The report as text tables, with the provenance at the end, as `tutti measure clock` prints it.
  public var description: String {
    let times = TextTable(
      columns: [""] + Distribution.columns,
      rows: [["interval"] + interval.row, ["phase"] + phase.row, ["|phase|"] + phaseMagnitude.row])
    return """
      Ticks\(source.map { " (\($0.rawValue) instants)" } ?? "")
      ticks \(ticks), runs \(runs), lost \(lost), doubled \(doubled), late \(late)
      Tempo \(tempo.value.fixed(6)) BPM, standard error \(tempo.standardError.short)\(tempo.intervalText(places: 6))
      \(driftText)

      Times, us; phase: the error against the best-fit line (peak to peak: \(peakToPeak.microseconds) us)
      \(times)\(loopback.map { "\($0.text)\n" } ?? "")
      \(tempoSections.text)
      Stability against the best-fit line
      \(stabilityText)

      \(spectrum?.text ?? "Phase spectrum unknown: fewer than 64 ticks in succession\n")
      Provenance
      \(provenance.lines.map { "\($0)\n" }.joined())
      """
  }

  /// The tables of the stability, and the explanation of their columns.
  private var stabilityText: String {
    func cells(_ deviation: ClockStability.Deviation?) -> [String] {
      [
        (deviation?.value).scientific, (deviation?.interval?.lowerBound).scientific,
        (deviation?.interval?.upperBound).scientific, (deviation?.degreesOfFreedom).fixed(1),
      ]
    }
    let phase = TextTable(
      columns: [
        "tau s", "ticks", "noise", "ADEV", "95% low", "95% high", "edf", "TDEV us", "95% low", "95% high", "MTIE us",
      ], wordColumns: 0,
      rows: stability.map { row in
        [row.seconds.fixed(6), "\(row.factor)", row.noise?.abbreviation ?? "-"] + cells(row.allan)
          + [(row.time?.value).microseconds, (row.time?.interval?.lowerBound).microseconds]
          + [(row.time?.interval?.upperBound).microseconds, row.maximumTimeIntervalError.microseconds]
      })
    let others = TextTable(
      columns: ["tau s", "ticks", "MDEV", "95% low", "95% high", "edf", "HDEV", "95% low", "95% high", "edf"],
      wordColumns: 0,
      rows: stability.map { row in
        [row.seconds.fixed(6), "\(row.factor)"] + cells(row.modifiedAllan) + cells(row.hadamard)
      })
    return "\(phase)\nModified Allan and Hadamard deviation\n\(others)"
      + "edf: equivalent degrees of freedom of the deviation before it\n"
      + "noise: white (W), flicker (F) or random walk (RW), of the phase (PM) or of the frequency (FM); -: none of them"
  }

  /// The line of the drift, or the reason why the drift is unknown.
  private var driftText: String {
    guard let drift, let nominalTempo, let nominalSource else {
      return "Drift unknown: no nominal tempo; give it with --nominal"
    }
    return "Drift \(drift.value.fixed(3)) ppm, standard error \(drift.standardError.short)"
      + drift.intervalText(places: 3) + ", "
      + "against the nominal tempo of \(nominalTempo.fixed(6)) BPM (\(nominalSource))"
  }
}

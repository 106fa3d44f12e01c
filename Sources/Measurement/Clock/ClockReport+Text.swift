extension ClockReport: CustomStringConvertible {
  /// The report as text tables, with the provenance at the end, as `tutti measure clock` prints it.
  public var description: String {
    var times = TextTable(columns: [""] + Distribution.columns)
    times.append(["interval"] + interval.row)
    times.append(["phase"] + phase.row)
    times.append(["|phase|"] + phaseMagnitude.row)
    var table = TextTable(
      columns: ["tau s", "ticks", "ADEV", "95% low", "95% high", "edf", "noise", "TDEV us", "MTIE us"], wordColumns: 0)
    for row in stability {
      table.append([
        (row.seconds as Double?).fixed(6), "\(row.factor)", (row.allanDeviation as Double?).scientific,
        row.interval.map(\.lowerBound).scientific, row.interval.map(\.upperBound).scientific,
        row.degreesOfFreedom.fixed(1), row.noise?.abbreviation ?? "-", row.timeDeviation.microseconds,
        (row.maximumTimeIntervalError as Double?).microseconds,
      ])
    }
    return """
      Ticks\(source.map { " (\($0.rawValue) instants)" } ?? "")
      \(counts)
      Tempo \((tempo.value as Double?).fixed(6)) BPM, standard error \(tempo.standardError.short)
      \(driftText)

      Times, us; phase: the error against the best-fit line (peak to peak: \((peakToPeak as Double?).microseconds) us)
      \(times)\(loopback.map { "\($0.text)\n" } ?? "")
      Stability against the best-fit line
      \(table)\(Self.stabilityNotes)

      Provenance
      \(provenance.lines.map { "\($0)\n" }.joined())
      """
  }

  /// The explanation of two columns of the table of the stability.
  private static let stabilityNotes =
    "edf: equivalent degrees of freedom of ADEV\n"
    + "noise: white (W), flicker (F) or random walk (RW), of the phase (PM) or of the frequency (FM)"

  /// The numbers of ticks.
  private var counts: String {
    "ticks \(ticks), runs \(runs), lost \(lost), doubled \(doubled), late \(late)"
  }

  /// The line of the drift, or the reason why the drift is unknown.
  private var driftText: String {
    guard let drift, let nominalTempo, let nominalSource else {
      return "Drift unknown: no nominal tempo; give it with --nominal"
    }
    return "Drift \((drift.value as Double?).fixed(3)) ppm, standard error \(drift.standardError.short), "
      + "against the nominal tempo of \((nominalTempo as Double?).fixed(6)) BPM (\(nominalSource))"
  }
}

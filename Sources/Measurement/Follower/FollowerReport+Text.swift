extension FollowerReport: CustomStringConvertible {
  /// The report as text tables, with the provenance at the end, as `tutti measure follower` prints it.
  public var description: String {
    var times = TextTable(columns: [""] + Distribution.columns)
    times.append(["steady"] + steady.row)
    var text = """
      Follower
      sounds \(sounds), off the grid \(offGrid)
      Delay \(delay.map { ($0 as Double?).microseconds + " us" } ?? "unknown: \(Self.unknownDelay)")
      \(driftText)
      Phase error in the steady part, us; the median is subtracted
      \(times)
      \(transferText)

      """
    if !steps.isEmpty {
      var table = TextTable(
        columns: ["from BPM", "to BPM", "peak us", "lag us", "overshoot us", "settling s"], wordColumns: 0)
      for step in steps {
        table.append([
          (step.fromTempo as Double?).fixed(2), (step.toTempo as Double?).fixed(2), (step.peak as Double?).microseconds,
          step.lag.microseconds, step.overshoot.microseconds, step.settling.fixed(3, scale: 1e-9),
        ])
      }
      text +=
        "\nTempo steps; settled: the phase error stays within \(tolerance.microseconds) us of its lasting value\n\(table)"
    }
    if !losses.isEmpty {
      var table = TextTable(columns: ["tick", "shift us", "ticks", "peak us"], wordColumns: 0)
      for loss in losses {
        table.append([
          "\(loss.tick)", (loss.shift as Double?).microseconds, (loss.ticks as Double?).fixed(3),
          (loss.peak as Double?).microseconds,
        ])
      }
      text += "\nLost ticks; the device kept its phase after \(keptLosses) of \(losses.count)\n\(table)"
    }
    return text + "\nProvenance\n" + stimulusText + provenance.lines.map { "\($0)\n" }.joined()
  }

  private static let unknownDelay =
    "the recording has another clock than the sender, or there are too few sounds in the steady part"

  private var driftText: String {
    guard let drift else { return "" }
    let value = (drift.value as Double?).fixed(1)
    return "Drift of the recorder \(value) ppm, standard error \(drift.standardError.short), subtracted\n"
  }

  private var transferText: String {
    guard let transfer else {
      return
        "Jitter transfer not measured: no jitter was sent, or the part with jitter or the steady part has too few sounds"
    }
    let (input, output) = (transfer.input as Double?, transfer.output as Double?)
    return "Jitter in \(input.microseconds) us, out \(output.microseconds) us; transfer "
      + "\((transfer.ratio as Double?).fixed(3)), standard error \((transfer.standardError as Double?).fixed(3))"
  }

  private var stimulusText: String {
    "stimulus: \(stimulus.tempo) BPM, jitter \(stimulus.jitter) ms, step \(stimulus.step) %, losses \(stimulus.losses), "
      + "parts of \(stimulus.seconds) s, seed \(stimulus.seed)\n"
  }
}

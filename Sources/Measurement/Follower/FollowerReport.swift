/// The figures of a device that follows a MIDI clock, as `tutti measure follower` prints them. The article <doc:FollowerFigures> defines
/// each figure.
///
/// All times are in nanoseconds. The JSON output contains microseconds, and seconds for the settling time.
///
/// Real-time: not safe.
public struct FollowerReport: Sendable {
  /// The jitter transfer: how much of the jitter of the clock appears in the sounds.
  public struct Transfer: Hashable, Sendable {
    /// The jitter of the clock: the standard deviation of the instants at which ticks were sent, minus their ideal instants.
    public let input: Double
    /// The jitter of the sounds: the standard deviation of the phase errors in the part with jitter.
    public let output: Double
    /// The part of ``output`` that the jitter of the clock causes, divided by ``input``. 0: the device removes all jitter. 1: it passes
    /// all jitter on.
    public let ratio: Double
    /// The standard error of ``ratio``.
    public let standardError: Double
  }

  /// The response to a tempo step.
  public struct Step: Hashable, Sendable {
    /// The tempos before and after the step in beats per minute.
    public let fromTempo, toTempo: Double
    /// The largest change of the phase error after the step; positive: the device is late.
    public let peak: Double
    /// The time from the first tick at the new tempo until the phase error stays at its final value, within
    /// ``FollowerReport/tolerance``; nil if the device did not settle.
    public internal(set) var settling: Double?
    /// The lasting change of the phase error; nil if the device did not settle.
    public internal(set) var lag: Double?
    /// The largest deviation from the final phase error after the peak, on the side opposite to the peak; 0 within the tolerance. Nil if
    /// the device did not settle.
    public internal(set) var overshoot: Double?
  }

  /// The effect of a lost tick.
  public struct Loss: Hashable, Sendable {
    /// The number of the lost tick.
    public let tick: Int
    /// The lasting change of the phase error.
    public let shift: Double
    /// ``shift`` in ticks.
    public let ticks: Double
    /// The largest change of the phase error, with its sign.
    public let peak: Double
  }

  /// The program and the inputs.
  public let provenance: Provenance
  /// The stimulus.
  public let stimulus: FollowerStimulus
  /// The number of sounds on the grid.
  public let sounds: Int
  /// The number of sounds off the grid (``SoundPlacement``).
  public let offGrid: Int
  /// The delay from the sent tick to the sound; nil if the recording does not have the clock of the sender, or with too few sounds.
  public let delay: Double?
  /// The phase errors of the steady part minus their median; nil with too few sounds.
  public let steady: Distribution?
  /// The largest deviation from the final phase error at which the device counts as settled; nil without ``steady``.
  public let tolerance: Double?
  /// The jitter transfer; nil if it was not measured.
  public let transfer: Transfer?
  /// The responses to the tempo steps.
  public let steps: [Step]
  /// The effects of the lost ticks.
  public let losses: [Loss]
  /// The drift of the clock of the recorder against the clock of the sender in parts per million, positive if the recorder is fast. Nil if
  /// the recording has the clock of the sender, or with too few sounds.
  public let drift: ClockReport.Estimate?
  /// Warnings for the user, each in one line.
  public private(set) var warnings: [String] = []

  init(
    _ figures: FollowerFigures, name: String, drift: ClockReport.Estimate?, hasCommonClock: Bool, provenance: Provenance
  ) {
    self.provenance = provenance
    let record = figures.record
    stimulus = record.header.stimulus
    (sounds, offGrid) = (figures.placement.sounds.count, figures.placement.offGrid)
    let errors = figures.steady
    let isSteady = errors.count >= FollowerFigures.fewestSounds
    let median = isSteady ? Distribution(errors)?.p50 : nil
    steady = median.flatMap { median in Distribution(errors.map { $0 - median }) }
    tolerance = figures.tolerance
    // The lateness of the sender is subtracted, so that the delay is relative to the sent ticks and not to their ideal instants.
    let sent = Distribution(figures.section(.steady).map { figures.input($0.ticks) } ?? [])
    delay = hasCommonClock ? median.flatMap { median in sent.map { median - $0.p50 } } : nil
    (transfer, steps, losses) = (figures.transfer, figures.steps, figures.losses)
    self.drift = drift
    if record.count < record.ticks.count - 24 {
      warnings.append(
        "\(name): the clock ended after \(record.count) of \(record.ticks.count) ticks; the parts that are not complete "
          + "are not measured")
    }
    if offGrid * 10 > sounds {
      warnings.append(
        "\(name): \(offGrid) sounds are not on the grid; check --sounds-per-quarter and the pattern of the device")
    }
    if figures.grid < 3, stimulus.losses > 0 {
      warnings.append(
        "\(name): the effect of lost ticks is not measured, because a grid this fine hides a lost tick; let the device play on a "
          + "coarser grid, and give --sounds-per-quarter 8 or less")
    }
    if !steps.allSatisfy({ $0.settling != nil }) {
      warnings.append(
        "\(name): no settling time after a tempo step, because the device did not settle or there are too few sounds; give "
          + "longer parts with --seconds")
    }
    let missing = figures.stepCount - steps.count + (figures.grid < 3 ? 0 : stimulus.losses - losses.count)
    if missing > 0 {
      warnings.append(
        "\(name): tempo steps and lost ticks that are not measured: \(missing), because too few sounds come just before or "
          + "after them; give longer parts with --seconds")
    }
  }

  /// The number of lost ticks after which the device kept its phase: the lasting change is less than a quarter of a tick.
  public var keptLosses: Int { losses.count { abs($0.ticks) < 0.25 } }
}

extension FollowerReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "provenance": provenance, "stimulus": stimulus, "sounds": sounds, "off_grid": offGrid,
      "delay_us": delay.map { $0 / 1e3 }, "steady": steady, "tolerance_us": tolerance.map { $0 / 1e3 },
      "transfer": transfer, "steps": steps, "losses": losses, "kept_losses": losses.isEmpty ? nil : keptLosses,
      "recorder_drift_ppm": drift?.value, "recorder_drift_standard_error_ppm": drift?.standardError,
      "warnings": warnings,
    ])
  }
}

extension FollowerReport.Transfer: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "input_sd_us": input / 1e3, "output_sd_us": output / 1e3, "ratio": ratio, "ratio_standard_error": standardError,
    ])
  }
}

extension FollowerReport.Step: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "from_bpm": fromTempo, "to_bpm": toTempo, "peak_us": peak / 1e3, "lag_us": lag.map { $0 / 1e3 },
      "overshoot_us": overshoot.map { $0 / 1e3 }, "settling_s": settling.map { $0 / 1e9 },
    ])
  }
}

extension FollowerReport.Loss: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["tick": tick, "shift_us": shift / 1e3, "shift_ticks": ticks, "peak_us": peak / 1e3])
  }
}

extension FollowerReport: CustomStringConvertible {
  /// The report as text tables, with the provenance at the end, as `tutti measure follower` prints it.
  public var description: String {
    let times = TextTable(columns: [""] + Distribution.columns, rows: [["steady"] + steady.row])
    var text = """
      Follower
      sounds \(sounds), off the grid \(offGrid)
      Delay \(delay.map { $0.microseconds + " us" } ?? "unknown: \(Self.unknownDelay)")
      \(driftText)
      Phase error in the steady part, us; the median is subtracted
      \(times)
      \(transferText)

      """
    if !steps.isEmpty {
      let table = TextTable(
        columns: ["from BPM", "to BPM", "peak us", "lag us", "overshoot us", "settling s"], wordColumns: 0,
        rows: steps.map { step in
          [
            step.fromTempo.fixed(2), step.toTempo.fixed(2), step.peak.microseconds, step.lag.microseconds,
            step.overshoot.microseconds, step.settling.fixed(3, scale: 1e-9),
          ]
        })
      text +=
        "\nTempo steps; settled: the phase error stays within \(tolerance.microseconds) us of its lasting value\n\(table)"
    }
    if !losses.isEmpty {
      let table = TextTable(
        columns: ["tick", "shift us", "ticks", "peak us"], wordColumns: 0,
        rows: losses.map { ["\($0.tick)", $0.shift.microseconds, $0.ticks.fixed(3), $0.peak.microseconds] })
      text += "\nLost ticks; the device kept its phase after \(keptLosses) of \(losses.count)\n\(table)"
    }
    return text + "\nProvenance\n" + stimulusText + provenance.lines.map { "\($0)\n" }.joined()
  }

  private static let unknownDelay =
    "the recording has another clock than the sender, or there are too few sounds in the steady part"

  private var driftText: String {
    guard let drift else { return "" }
    let value = drift.value.fixed(1)
    return "Drift of the recorder \(value) ppm, standard error \(drift.standardError.short), subtracted\n"
  }

  private var transferText: String {
    guard let transfer else {
      return
        "Jitter transfer not measured: no jitter was sent, or the part with jitter or the steady part has too few sounds"
    }
    return "Jitter in \(transfer.input.microseconds) us, out \(transfer.output.microseconds) us; transfer "
      + "\(transfer.ratio.fixed(3)), standard error \(transfer.standardError.fixed(3))"
  }

  private var stimulusText: String {
    "stimulus: \(stimulus.tempo) BPM, jitter \(stimulus.jitter) ms, step \(stimulus.step) %, losses \(stimulus.losses), "
      + "parts of \(stimulus.seconds) s, seed \(stimulus.seed)\n"
  }
}

/// The figures of a device that follows a MIDI clock. The article <doc:FollowerFigures> defines each figure.
///
/// Times are in nanoseconds here. JSON contains microseconds, and seconds for the settling time.
public struct FollowerReport: Sendable {
  /// The jitter of the sounds and that of the clock.
  public struct Transfer: Hashable, Sendable {
    /// The standard deviation of the instants at which ticks were sent, from their ideal instants.
    public let input: Double
    /// The standard deviation of the phase errors.
    public let output: Double
    /// The jitter that the clock caused, divided by ``input``.
    public let ratio: Double
    /// The standard error of ``ratio``.
    public let standardError: Double
  }

  /// The response to a tempo step.
  public struct Step: Hashable, Sendable {
    /// The tempi in beats per minute.
    public let fromTempo, toTempo: Double
    /// The largest change of the phase error after the step; positive: the device is late.
    public let peak: Double
    /// The settling time; nil if the device did not settle.
    public internal(set) var settling: Double?
    /// The lasting change of the phase error; nil if the device did not settle.
    public internal(set) var lag: Double?
    /// The largest deviation beyond the final phase error after the peak; nil if the device did not settle.
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
    /// The largest change of the phase error.
    public let peak: Double
  }

  /// The program and the inputs.
  public let provenance: Provenance
  /// The stimulus.
  public let stimulus: FollowerStimulus
  /// The number of sounds on the grid.
  public let sounds: Int
  /// The number of other sounds.
  public let offGrid: Int
  /// The delay from the clock to the sound; nil if the recording has another clock.
  public let delay: Double?
  /// The phase errors of the steady part minus their median; nil with too few sounds.
  public let steady: Distribution?
  /// The band of the settling time; nil without ``steady``.
  public let tolerance: Double?
  /// The jitter transfer; nil if it was not measured.
  public let transfer: Transfer?
  /// The responses to the tempo steps.
  public let steps: [Step]
  /// The effects of the lost ticks.
  public let losses: [Loss]
  /// The drift of the recorder in parts per million, positive if its second is too short; nil if both clocks are one.
  public let drift: ClockReport.Estimate?
  /// Notes on the input, each in one line.
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
    // Relative to the clock that was sent, and not to the ideal one: the sender itself may be late.
    let sent = Distribution(figures.section(.steady).map { figures.input($0.ticks) } ?? [])
    delay = hasCommonClock ? median.flatMap { median in sent.map { median - $0.p50 } } : nil
    (transfer, steps, losses) = (figures.transfer, figures.steps, figures.losses)
    self.drift = drift
    if record.count < record.ticks.count - 24 {
      warnings.append(
        "\(name): the stimulus ended after \(record.count) of \(record.ticks.count) ticks; the parts that are not complete "
          + "are not measured")
    }
    if offGrid * 10 > sounds {
      warnings.append(
        "\(name): \(offGrid) sounds are not on the grid; check --sounds-per-quarter and the pattern of the device")
    }
    if figures.grid < 3, stimulus.losses > 0 {
      warnings.append(
        "\(name): lost ticks are measured with at most 8 sounds per quarter note, because a finer grid hides a lost tick"
      )
    }
    if !steps.allSatisfy({ $0.settling != nil }) {
      warnings.append(
        "\(name): no settling time after a tempo step, because the device did not settle or there are too few sounds; give "
          + "longer parts with --seconds")
    }
    let missing = figures.stepCount - steps.count + (figures.grid < 3 ? 0 : stimulus.losses - losses.count)
    if missing > 0 {
      warnings.append(
        "\(name): \(missing) tempo steps and lost ticks are not measured, because there are too few sounds beside them; give "
          + "longer parts with --seconds")
    }
  }

  /// The number of lost ticks after which the device kept its phase: to a quarter of a tick.
  public var keptLosses: Int { losses.count { abs($0.ticks) < 0.25 } }
}

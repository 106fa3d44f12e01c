import MusicalTime

/// The instants of the sounds that a device played while it followed a clock: the input of ``FollowerAnalysis``.
public struct FollowerSounds: Sendable {
  /// The name of the recording.
  public let name: String
  /// The instants of the sounds in nanoseconds, ascending.
  public let instants: [Double]
  /// Whether the instants are by CLOCK_MONOTONIC of the machine that sent the clock. If not, they are by the clock of the recorder, from
  /// an arbitrary origin.
  public let hasCommonClock: Bool

  /// Creates sounds at known instants.
  ///
  /// Real-time: not safe.
  public init(name: String, instants: [Double], hasCommonClock: Bool) {
    (self.name, self.instants, self.hasCommonClock) = (name, instants.sorted(), hasCommonClock)
  }

  /// Finds the sounds in a recording.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - usesPulses: whether all sounds are alike, for example pulses or clicks of a clock. ``PulseDetector`` then finds their positions
  ///     with a resolution below one frame. If false, the sounds may differ and overlap, for example in a drum pattern.
  ///   - hasCommonClock: whether `instant` returns instants of CLOCK_MONOTONIC of the machine that sent the clock.
  ///   - instant: returns the instant, in nanoseconds, of a position in frames. The position may lie between two frames.
  /// - Throws: ``ReportError`` if the recording contains no sound.
  ///
  /// Real-time: not safe.
  public init(
    _ recording: Recording, usesPulses: Bool, hasCommonClock: Bool, instant: (Double) -> Double
  ) throws(ReportError) {
    let frames: [Double]
    if usesPulses {
      frames = PulseDetector(rate: recording.rate).pulses(in: recording.samples).positions
    } else {
      frames = AnalysedRecording(recording, clockOffset: .zero).frames.map(Double.init)
    }
    guard !frames.isEmpty else {
      throw ReportError(
        subject: recording.name, reason: recording.isSilent ? "silent" : "contains no sound with a clear beginning",
        remedy: "connect the output of the device to the input, start a pattern with short sounds, and measure again")
    }
    self.init(name: recording.name, instants: frames.map(instant), hasCommonClock: hasCommonClock)
  }

  /// Finds the sounds in a recording file. The instant of a sound follows from the first instant and the nominal sample rate of the
  /// recording.
  ///
  /// - Throws: ``ReportError`` if the recording contains no sound, or if its rate is outside of ``AudioReport/rates``.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording, usesPulses: Bool, hasCommonClock: Bool) throws(ReportError) {
    guard AudioReport.rates.contains(recording.rate) else {
      throw ReportError(
        subject: recording.name, reason: "\(recording.rate) frames per second",
        remedy: "record it at \(AudioReport.rates.lowerBound) to \(AudioReport.rates.upperBound) frames per second")
    }
    var recording = recording
    // A time reference of more than 73 years is damaged, and is ignored.
    let isPlausible = recording.firstInstant.nanoseconds.magnitude <= TraceTick.limit.magnitude
    if !isPlausible { recording.firstInstant = Instant(nanoseconds: 0) }
    let (first, length) = (Double(recording.firstInstant.nanoseconds), 1e9 / Double(recording.rate))
    try self.init(recording, usesPulses: usesPulses, hasCommonClock: hasCommonClock && isPlausible) {
      first + $0 * length
    }
  }
}

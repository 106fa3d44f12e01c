import MusicalTime

/// A recording and its onsets. All instants are by the common clock of the recordings that are compared.
struct AnalysedRecording {
  let recording: Recording
  /// The frames of the onsets, in ascending order.
  let frames: [Int]
  /// The instants of the onsets, in the order of ``frames``.
  let onsets: [Instant]
  /// The time span of the recording.
  let span: ClosedRange<Instant>
  /// Whether no sample is louder than the rounding noise of 16 bits.
  let isSilent: Bool

  /// Detects the onsets of `recording`.
  ///
  /// - Parameter clockOffset: the clock of the recording minus the common clock.
  init(_ recording: Recording, clockOffset: Nanoseconds) {
    var recording = recording
    recording.firstInstant = recording.firstInstant - clockOffset
    self.recording = recording
    var frames = OnsetDetector(rate: recording.rate).onsets(in: recording.samples)
    // Noise at the beginning looks like an onset in the first millisecond.
    if let first = frames.first, first < recording.rate / 1000, Self.beginsInNoise(recording) { frames.removeFirst() }
    self.frames = frames
    onsets = frames.map(recording.instant(of:))
    span = recording.firstInstant...recording.instant(of: recording.samples.count)
    isSilent = frames.isEmpty && recording.samples.allSatisfy { !$0.isFinite || abs($0) <= OnsetDetector.silence }
  }

  /// Whether the recording begins with steady noise and not with a hit: its first 20 ms are less than 6 dB (a factor of 4 in
  /// power) louder than the time from 50 to 150 ms.
  private static func beginsInNoise(_ recording: Recording) -> Bool {
    func power(_ milliseconds: Range<Int>) -> Float {
      let frames = milliseconds.lowerBound * recording.rate / 1000..<milliseconds.upperBound * recording.rate / 1000
      let samples = recording.samples[clamped: frames]
      return samples.reduce(0) { $0 + ($1.isFinite ? $1 * $1 : 0) } / Float(max(samples.count, 1))
    }
    return power(0..<20) < 4 * power(50..<150)
  }
}

import MusicalTime

/// A recording of one peer: one channel of samples, and the instant of the first sample.
public struct Recording: Sendable {
  /// The name of the recording, shown in reports.
  public var name: String
  /// The samples of one channel, full scale 1.
  public var samples: [Float]
  /// The sample rate in frames per second.
  public var rate: Int
  /// The instant at which the first frame sounded, by the clock of the recording peer.
  public var firstInstant: Instant

  /// Creates a recording.
  ///
  /// Real-time: not safe.
  public init(name: String, samples: [Float], rate: Int, firstInstant: Instant) {
    (self.name, self.samples, self.rate, self.firstInstant) = (name, samples, rate, firstInstant)
  }

  /// Returns the instant at which `frame` sounded, rounded to the nearest nanosecond. ``rate`` must be positive.
  func instant(of frame: Int) -> Instant {
    let (seconds, frames) = frame.quotientAndRemainder(dividingBy: rate)
    // `frames` is less than `rate`, which is at most 384 000 (AudioReport.rates), so the product fits into 64 bits.
    let rest = (frames * 1_000_000_000 + rate / 2) / rate
    return firstInstant + .seconds(Int64(seconds)) + Nanoseconds(Int64(rest))
  }

  /// Whether no sample is louder than the rounding noise of 16 bits.
  var isSilent: Bool { samples.allSatisfy { !$0.isFinite || abs($0) <= OnsetDetector.silence } }
}

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
    isSilent = frames.isEmpty && recording.isSilent
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

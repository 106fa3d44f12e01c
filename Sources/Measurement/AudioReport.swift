import MusicalTime

/// The synchronization of the sound of several peers, measured from their recordings.
///
/// Hits are detected in each recording separately (``OnsetDetector``) and matched with the hits of the first recording,
/// the reference (``OnsetMatching``). The time difference of two matched hits is then measured by cross-correlation,
/// with a resolution of one frame (``HitCorrelation``). It is the difference at the outputs of the converters, and
/// includes the effects of threads, network and clocks. Recordings need not start together: instants are calculated
/// from the first frame of each recording, in whole nanoseconds, and known clock offsets are subtracted. The drift is
/// the slope of the differences over the time of the reference.
public struct AudioReport: Hashable, Sendable, Codable {
  /// The data of one recording.
  public struct Track: Hashable, Sendable, Codable {
    /// The name of the recording.
    public let name: String
    /// The number of hits detected.
    public let onsets: Int
    /// The length of the recording in seconds.
    public let seconds: Double
  }

  /// The comparison of one recording with the reference.
  public struct Comparison: Hashable, Sendable, Codable {
    /// The name of the recording.
    public let name: String
    /// The number of hits present in both recordings.
    public let matched: Int
    /// The number of matched hits whose sound was similar enough for the correlation. The other differences are those
    /// of the detected onsets, which are inexact by a millisecond or more if sounds overlap.
    public let correlated: Int
    /// The number of unmatched hits of the reference within the time span of this recording.
    public let missing: Int
    /// The number of unmatched hits of this recording within the time span of the reference.
    public let extra: Int
    /// The instant of the hit minus the instant of the hit in the reference, with its sign.
    public let difference: Figures
    /// The absolute value of the difference.
    public let magnitude: Figures
    /// The slope of the differences in parts per million; nil with fewer than two matched hits.
    public let drift: Double?

    private enum CodingKeys: String, CodingKey {
      case name, matched, correlated, missing, extra, difference, magnitude
      case drift = "drift_ppm"
    }
  }

  /// The sample rate of all recordings in frames per second. The resolution of a difference is one frame.
  public let rate: Int
  /// All recordings, in the order given; the first is the reference.
  public let tracks: [Track]
  /// The comparisons of all recordings, except the first, with the first.
  public let comparisons: [Comparison]

  /// The sample rates that can be compared, frames per second.
  private static let rates = 8_000...384_000

  /// Compares `recordings` with the first of them.
  ///
  /// - Parameters:
  ///   - recordings: at least two recordings with the same sample rate; the first is the reference.
  ///   - clockOffsets: the clock of each recording minus a common clock, in the order of the recordings.
  ///     Empty if all recordings share a clock.
  /// - Throws: ``ReportError`` for fewer than two recordings, if the numbers of clock offsets and recordings differ,
  ///   for sample rates that differ or are not 8000...384000, for a first instant beyond 73 years, for a reference
  ///   without hits.
  ///
  /// Real-time: not safe.
  public init(recordings: [Recording], clockOffsets: [Nanoseconds] = []) throws(ReportError) {
    let clockOffsets = try ReportError.checkedClockOffsets(clockOffsets, of: recordings.map(\.name), kind: "recording")
    let rate = recordings[0].rate
    for recording in recordings {
      guard Self.rates.contains(recording.rate), recording.rate == rate else {
        throw ReportError(
          subject: recording.name,
          reason: "\(recording.rate) frames per second, but \(recordings[0].name) has \(rate)",
          remedy: "record all files at the same rate, from \(Self.rates.lowerBound) to \(Self.rates.upperBound)")
      }
      guard recording.firstInstant.nanoseconds.magnitude <= TraceTick.limit.magnitude else {
        throw ReportError(
          subject: recording.name, reason: "its time reference is invalid (more than 73 years)",
          remedy: "record it again with `tutti peer --audio wav:FILE`")
      }
    }
    let analyses = zip(recordings, clockOffsets).map { Analysis($0, clockOffset: $1) }
    guard !analyses[0].frames.isEmpty else {
      throw ReportError(
        subject: recordings[0].name, reason: "no hits detected",
        remedy: "as the first file, give the recording of a peer that played")
    }
    self.rate = rate
    tracks = analyses.map {
      Track(
        name: $0.recording.name, onsets: $0.frames.count,
        seconds: Double($0.recording.samples.count) / Double(rate))
    }
    comparisons = analyses.dropFirst().map { Comparison(reference: analyses[0], other: $0, rate: rate) }
  }

  /// A recording with its onsets, by the common clock.
  fileprivate struct Analysis {
    let recording: Recording
    /// The frames of the onsets, in ascending order.
    let frames: [Int]
    /// The instants of the onsets, in the order of ``frames``.
    let onsets: [Instant]
    /// The time span of the recording.
    let span: ClosedRange<Instant>

    init(_ recording: Recording, clockOffset: Nanoseconds) {
      var recording = recording
      recording.firstInstant = recording.firstInstant - clockOffset
      self.recording = recording
      frames = OnsetDetector(rate: recording.rate).onsets(in: recording.samples)
      onsets = frames.map(recording.instant(of:))
      span = recording.firstInstant...recording.instant(of: recording.samples.count)
    }
  }
}

extension AudioReport.Comparison {
  /// Compares the onsets of a recording with those of the reference.
  fileprivate init(reference: AudioReport.Analysis, other: AudioReport.Analysis, rate: Int) {
    let matching = OnsetMatching(reference.onsets, span: reference.span, other.onsets, span: other.span)
    let correlation = HitCorrelation(rate: rate)
    var (differences, fit, correlated) = ([Nanoseconds](), DriftFit(), 0)
    for (first, second) in matching.pairs {
      // The correlation determines the frame more exactly than the detection.
      var frame = other.frames[second]
      if let match = correlation.match(
        reference.frames[first], in: reference.recording.samples, near: frame, in: other.recording.samples)
      {
        frame = match
        correlated += 1
      }
      let difference = other.recording.instant(of: frame) - reference.onsets[first]
      differences.append(difference)
      fit.append(difference, at: reference.onsets[first])
    }
    name = other.recording.name
    matched = matching.pairs.count
    self.correlated = correlated
    missing = matching.missing
    extra = matching.extra
    difference = Figures(signed: differences)
    magnitude = Figures(absolute: differences)
    drift = fit.partsPerMillion
  }
}

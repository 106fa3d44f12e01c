import MusicalTime

/// How well several peers sounded together, from their recordings: the same hit, here and there.
///
/// Hits are found in every recording by itself (``OnsetDetector``) and matched with those of the first, the reference
/// (``OnsetMatching``); the difference in time of a matched hit is then measured by correlation, exact to one frame
/// (``HitCorrelation``). It is the difference of what came out of the converters, threads, network and clocks included.
/// Recordings need not start together: instants are whole nanoseconds from their first frames, and what a clock was
/// ahead is taken out. Drift is the slope of the differences over the reference's time.
public struct AudioReport: Hashable, Sendable, Codable {
  /// One recording by itself.
  public struct Track: Hashable, Sendable, Codable {
    public let name: String
    public let onsets: Int
    /// Length of the recording in seconds.
    public let seconds: Double
  }

  /// One recording against the reference.
  public struct Comparison: Hashable, Sendable, Codable {
    public let name: String
    /// Hits of both.
    public let matched: Int
    /// Those of the matched whose sound was alike enough to be measured by correlation. The differences of the rest are
    /// those of their onsets' first frames, off by a millisecond or more where sounds overlap.
    public let correlated: Int
    /// Hits of the reference without a partner, while this recording ran.
    public let missing: Int
    /// Hits of this recording without a partner, while the reference ran.
    public let extra: Int
    /// When the hit sounded minus when it sounded in the reference, with its sign.
    public let difference: Figures
    /// The same without its sign.
    public let magnitude: Figures
    /// Parts per million by which the differences grow; nil with fewer than two matched hits.
    public let drift: Double?

    private enum CodingKeys: String, CodingKey {
      case name, matched, correlated, missing, extra, difference, magnitude
      case drift = "drift_ppm"
    }
  }

  /// Frames a second of all recordings. A difference is exact to one frame.
  public let rate: Int
  /// All recordings, in the order given; the first is the reference.
  public let tracks: [Track]
  /// All recordings but the first, against the first.
  public let comparisons: [Comparison]

  private static let rates = 8_000...384_000

  /// Compares `recordings` with the first of them.
  ///
  /// - Parameter clockAhead: by how much the clock of each recording is ahead of a common one, in the order of the
  ///   recordings; empty when all share a clock.
  /// - Throws: ``ReportError`` for fewer than two recordings, for as many clocks as there are no recordings, for rates
  ///   that
  ///   differ or are not 8000...384000, for a first instant beyond 73 years, for a reference without hits.
  ///
  /// Real-time: not safe.
  public init(recordings: [Recording], clockAhead: [Nanoseconds] = []) throws(ReportError) {
    let leads = try ReportError.leads(clockAhead, of: recordings.map(\.name), kind: "recording")
    let rate = recordings[0].rate
    for recording in recordings {
      guard Self.rates.contains(recording.rate), recording.rate == rate else {
        throw ReportError(
          subject: recording.name,
          reason: "\(recording.rate) frames a second, where \(recordings[0].name) has \(rate)",
          remedy: "record all at one rate from \(Self.rates.lowerBound) to \(Self.rates.upperBound)")
      }
      guard recording.firstInstant.nanoseconds.magnitude <= TraceTick.limit.magnitude else {
        throw ReportError(
          subject: recording.name, reason: "its first frame lies 73 years away", remedy: "tell when it sounded")
      }
    }
    let heard = zip(recordings, leads).map { Heard($0, clockAhead: $1) }
    guard !heard[0].frames.isEmpty else {
      throw ReportError(
        subject: recordings[0].name, reason: "no hits are heard in it",
        remedy: "give the recording of a peer that played first")
    }
    self.rate = rate
    tracks = heard.map {
      Track(
        name: $0.recording.name, onsets: $0.frames.count,
        seconds: Double($0.recording.samples.count) / Double(rate))
    }
    comparisons = heard.dropFirst().map { Comparison(heard[0], $0, rate: rate) }
  }

  /// A recording with its onsets, in the common clock.
  fileprivate struct Heard {
    let recording: Recording
    let frames: [Int]
    let onsets: [Instant]
    let span: ClosedRange<Instant>

    init(_ recording: Recording, clockAhead: Nanoseconds) {
      var recording = recording
      recording.firstInstant = recording.firstInstant - clockAhead
      self.recording = recording
      frames = OnsetDetector(rate: recording.rate).onsets(in: recording.samples)
      onsets = frames.map(recording.instant(of:))
      span = recording.firstInstant...recording.instant(of: recording.samples.count)
    }
  }
}

extension AudioReport.Comparison {
  fileprivate init(_ reference: AudioReport.Heard, _ other: AudioReport.Heard, rate: Int) {
    let matching = OnsetMatching(reference.onsets, span: reference.span, other.onsets, span: other.span)
    let correlation = HitCorrelation(rate: rate)
    var (differences, line, correlated) = ([Nanoseconds](), DriftLine(), 0)
    for (first, second) in matching.pairs {
      var frame = other.frames[second]
      if let match = correlation.match(
        reference.frames[first], in: reference.recording.samples, near: frame, in: other.recording.samples)
      {
        frame = match
        correlated += 1
      }
      let difference = other.recording.instant(of: frame) - reference.onsets[first]
      differences.append(difference)
      line.append(difference, at: reference.onsets[first])
    }
    name = other.recording.name
    matched = matching.pairs.count
    self.correlated = correlated
    missing = matching.missing
    extra = matching.extra
    difference = Figures(signed: differences)
    magnitude = Figures(absolute: differences)
    drift = line.partsPerMillion
  }
}

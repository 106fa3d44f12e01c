import MusicalTime

/// The synchronization of the sound of several peers, measured from their recordings.
///
/// Hits are detected in each recording separately (``OnsetDetector``) and matched with the hits of the first recording,
/// the reference (``OnsetMatching``). The time difference of two matched hits is then measured by cross-correlation
/// (``HitCorrelation``). This difference includes the effects of threads, network and clocks on the sound. Recordings need not
/// start together: instants are calculated from the instant of the first frame of each recording, and known clock offsets are
/// subtracted. The article <doc:AudioFigures> defines each figure.
///
/// Real-time: not safe.
public struct AudioReport: Hashable, Sendable, Codable {
  /// The data of one recording.
  public struct Track: Hashable, Sendable, Codable {
    /// The name of the recording.
    public let name: String
    /// The sample rate in frames per second. A recording with another rate than the reference is resampled for the comparison.
    public let rate: Int
    /// The number of hits detected.
    public let onsets: Int
    /// The length of the recording in seconds.
    public let seconds: Double
  }

  /// The comparison of one recording with the reference. A figure that cannot be calculated is nil. If there are no figures at all,
  /// ``notes`` contains the reason.
  public struct Comparison: Hashable, Sendable, Codable {
    /// The name of the recording.
    public let name: String
    /// The name of the reference, if each run has its own reference; otherwise nil, and the reference is the first recording.
    public internal(set) var reference: String?
    /// The number of hits present in both recordings.
    public internal(set) var matched = 0
    /// The number of matched hits whose sounds were similar enough for the correlation. The differences of the other hits are
    /// those of their detected onsets, which are inexact by a millisecond or more if sounds overlap.
    public internal(set) var correlated = 0
    /// The number of unmatched hits of the reference within the time span of this recording.
    public internal(set) var missing = 0
    /// The number of unmatched hits of this recording within the time span of the reference, or near a matched hit.
    public internal(set) var extra = 0
    /// The delay of this recording in seconds, which was determined from its hits and subtracted; nil if the recordings are
    /// aligned by the instants of their first frames.
    public internal(set) var delay: Double?
    /// Whether the polarity of this recording is inverted against the reference. The differences allow for the inversion.
    public internal(set) var isInverted = false
    /// The time in seconds after which the music repeats, and the nearest delays in seconds, one below and one above the measured delay,
    /// that therefore fit as well; nil if there are none. The delays are at most 1 s, or with alignment at most 10 s from the measured
    /// delay.
    public internal(set) var repetition: Double?, otherDelays: [Double]?
    /// The differences of the hits, with their signs: the instant of a hit minus its instant in the reference.
    public internal(set) var difference: Distribution?
    /// The absolute values of ``difference``.
    public internal(set) var magnitude: Distribution?
    /// The differences of the correlated hits only.
    public internal(set) var correlatedDifference: Distribution?
    /// The absolute values of ``correlatedDifference``.
    public internal(set) var correlatedMagnitude: Distribution?
    /// The differences minus their best-fit line: the jitter without a constant delay and without drift. If at least half
    /// of the matched hits are correlated, the line and the residual are those of the correlated hits.
    public internal(set) var residual: Distribution?
    /// The number of hits whose difference has a different sign from that of the preceding hit. Hits with a difference of 0 are
    /// skipped.
    public internal(set) var signChanges: Int?
    /// The slope of the best-fit line of the differences over time, in parts per million, and the standard error of this slope.
    public internal(set) var drift, driftError: Double?
    /// Notes on the comparison, each in one line.
    public internal(set) var notes: [String] = []

    init(name: String) { self.name = name }

    private enum CodingKeys: String, CodingKey {
      case name, reference, matched, correlated, missing, extra, difference, magnitude, residual, notes
      case delay = "delay_s"
      case isInverted = "inverted_polarity"
      case repetition = "repetition_s"
      case otherDelays = "other_delays_s"
      case correlatedDifference = "correlated_difference"
      case correlatedMagnitude = "correlated_magnitude"
      case signChanges = "sign_changes"
      case drift = "drift_ppm"
      case driftError = "drift_standard_error_ppm"
    }
  }

  /// The program, the recordings and the command line; nil in a report that is not the result of a command.
  public var provenance: Provenance?
  /// The sample rate of the (first) reference in frames per second. Other recordings are compared at this rate.
  public let rate: Int
  /// All recordings, in the order given. The first is the reference, or the first of each pair if there are several runs.
  public let tracks: [Track]
  /// The comparisons with the reference, one for each other recording.
  public let comparisons: [Comparison]
  /// The medians over several runs with their intervals; nil if the recordings are not those of runs.
  public let runs: AudioRuns?

  /// The sample rates of recordings that can be compared, in frames per second.
  static let rates = 8_000...384_000

  init(rate: Int, tracks: [Track], comparisons: [Comparison], runs: AudioRuns? = nil) {
    (self.rate, self.tracks, self.comparisons, self.runs) = (rate, tracks, comparisons, runs)
  }

  /// Compares `recordings` with the first of them.
  ///
  /// - Throws: ``ReportError`` as ``AudioAnalysis/init(recordings:clockOffsets:aligns:)``.
  ///
  /// Real-time: not safe.
  public init(
    recordings: [Recording], clockOffsets: [Nanoseconds] = [], aligns: Bool = false
  ) throws(ReportError) {
    self = try AudioAnalysis(recordings: recordings, clockOffsets: clockOffsets, aligns: aligns).report
  }
}

extension AudioReport: CustomStringConvertible {
  /// The report as text: a sentence for each recording, tables of the differences from the reference, notes, and the provenance.
  public var description: String {
    let table = TextTable(
      columns: [
        "", "hits", "matched", "correlated", "missing", "extra", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd",
        "sign changes",
      ],
      rows: zip(compared, comparisons).map { track, comparison in
        let counts = [
          track.onsets, comparison.matched, comparison.correlated, comparison.missing, comparison.extra,
        ]
        return [comparison.name] + counts.map(String.init)
          + Self.figures(comparison.magnitude, comparison.difference)
          + [comparison.signChanges.map(String.init) ?? "-"]
      })
    let correlated = TextTable(
      columns: ["", "hits", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd"],
      rows: comparisons.filter { $0.correlated > 0 }.map {
        [$0.name, "\($0.correlated)"] + Self.figures($0.correlatedMagnitude, $0.correlatedDifference)
      })
    let lines = TextTable(
      columns: ["", "delay s", "drift ppm", "error ppm", "residual sd", "p50", "p99", "max"],
      rows: comparisons.map { comparison in
        let residual = comparison.residual
        return [comparison.name, comparison.delay.fixed(6), comparison.drift.fixed(3), comparison.driftError.short]
          + [residual?.standardDeviation, residual?.p50, residual?.p99, residual?.maximum].map(\.microseconds)
      })
    let reference =
      hasRuns
      ? "the reference of each run" : tracks.first.map { "\($0.name) (\($0.onsets) hits)" } ?? "no recording"
    let frame = (rate > 0 ? 1e9 / Double(rate) : nil as Double?).microseconds
    var text = comparisons.map { $0.verdict(reference: tracks.first?.name ?? "the reference") }.joined()
    text += "\nDifference from \(reference), us; one frame is \(frame)\n\(table)\n"
    if comparisons.contains(where: { $0.correlated > 0 }) {
      text += "Only the hits that sound alike, measured by correlation to a fraction of a frame, us\n\(correlated)\n"
    }
    text += "Linear fit to the differences, and the residual, us\n\(lines)"
    if let runs { text += "\n\(runs.text)" }
    let notes = comparisons.flatMap { comparison in comparison.notes.map { "\(comparison.name): \($0)\n" } }
    if !notes.isEmpty { text += "\nNotes\n" + notes.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }

  /// Whether each comparison has its own reference.
  var hasRuns: Bool { comparisons.contains { $0.reference != nil } }

  /// The recordings that are compared with a reference, in the order of ``comparisons``.
  private var compared: [Track] {
    hasRuns ? stride(from: 1, to: tracks.count, by: 2).map { tracks[$0] } : Array(tracks.dropFirst())
  }

  /// Returns the cells of percentiles of the magnitudes of differences, and of the mean and the standard deviation of the differences.
  private static func figures(_ magnitude: Distribution?, _ difference: Distribution?) -> [String] {
    [
      magnitude?.p50, magnitude?.p95, magnitude?.p99, magnitude?.maximum, difference?.mean,
      difference?.standardDeviation,
    ].map(\.microseconds)
  }
}

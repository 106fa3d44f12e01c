import MusicalTime

/// The comparison of several recordings: the report, and the difference of each hit.
public struct AudioAnalysis: Sendable {
  /// The figures.
  public var report: AudioReport
  /// The matched hits, recording by recording, in the order of the reference's hits.
  public let hits: [AudioHit]

  /// Compares `recordings` with the first of them.
  ///
  /// - Parameters:
  ///   - recordings: at least two recordings; the first is the reference. Recordings with another sample rate are resampled to that of
  ///     the reference.
  ///   - clockOffsets: the clock of each recording minus a common clock, in the order of the recordings.
  ///     Empty if all recordings share a clock.
  ///   - aligns: whether to determine the delay of each recording from its hits and to subtract it. This is necessary if the first
  ///     instants of the recordings are not known by a common clock.
  /// - Throws: ``ReportError`` for fewer than two recordings, if the numbers of clock offsets and recordings differ,
  ///   for sample rates that are not 8000...384000, for a clock offset of more than 73 years, for a first instant more
  ///   than 73 years from the origin of the clock, or for a reference without hits.
  ///
  /// Real-time: not safe.
  public init(recordings: [Recording], clockOffsets: [Nanoseconds] = [], aligns: Bool = false) throws(ReportError) {
    let clockOffsets = try ReportError.checkedClockOffsets(clockOffsets, of: recordings.map(\.name), kind: "recording")
    let rate = recordings[0].rate
    for recording in recordings {
      guard AudioReport.rates.contains(recording.rate) else {
        throw ReportError(
          subject: recording.name, reason: "\(recording.rate) frames per second is not supported",
          remedy: "give a recording with \(AudioReport.rates.lowerBound) to \(AudioReport.rates.upperBound) frames per "
            + "second")
      }
      guard recording.firstInstant.nanoseconds.magnitude <= TraceTick.limit.magnitude else {
        throw ReportError(
          subject: recording.name,
          reason: "its first instant (the WAV field TimeReference) is more than 73 years from the origin of the clock",
          remedy: "record it again with `tutti peer --audio wav:FILE`")
      }
    }
    let tracks = zip(recordings, clockOffsets).map { AnalysedRecording($0.resampled(to: rate), clockOffset: $1) }
    guard !tracks[0].frames.isEmpty else {
      throw ReportError(
        subject: recordings[0].name, reason: "no hits detected" + (tracks[0].isSilent ? ", because it is silent" : ""),
        remedy: "as the first file, give the recording of a peer that played")
    }
    let comparisons = tracks.dropFirst().map { AudioComparison(reference: tracks[0], other: $0, aligns: aligns) }
    hits = comparisons.flatMap(\.hits)
    report = AudioReport(
      rate: rate,
      tracks: zip(recordings, tracks).map { recording, track in
        AudioReport.Track(
          name: recording.name, rate: recording.rate, onsets: track.frames.count,
          seconds: Double(recording.samples.count) / Double(recording.rate))
      }, comparisons: comparisons.map(\.figures))
  }

  /// Creates an analysis from its report and its hits.
  init(report: AudioReport, hits: [AudioHit]) { (self.report, self.hits) = (report, hits) }

  /// Returns a gnuplot script that draws the difference of each hit over time, and the histogram of the differences. The
  /// script contains its data, reads no file, needs gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    var data = ""
    let robust = RobustRange(hits.map { $0.difference / 1e3 })
    var (points, histograms): ([String], [String]) = ([], [])
    for (index, comparison) in report.comparisons.enumerated() {
      guard let difference = comparison.difference else { continue }
      let hits = hits.filter { $0.recording == comparison.name }
      data += Gnuplot.data(
        "time\(index)", hits.map { "\($0.time) \($0.difference / 1e3) \($0.isCorrelated ? 1 : 0)" })
      data += Gnuplot.data(
        "histogram\(index)",
        Gnuplot.histogram(
          hits.map(\.difference), in: robust?.range.scaled(by: 1e3) ?? difference.minimum...difference.maximum))
      let (color, title) = (Gnuplot.color(index), Gnuplot.quoted(comparison.name))
      // A filled circle is a hit that was measured by correlation, an open one a hit that was measured by its onset.
      points.append("$time\(index) using 1:($3 == 1 ? $2 : NaN) with points pt 7 ps 0.4 \(color) title \(title)")
      if hits.contains(where: { !$0.isCorrelated }) {
        let title = Gnuplot.quoted("\(comparison.name), onset only")
        points.append("$time\(index) using 1:($3 == 0 ? $2 : NaN) with points pt 6 ps 0.5 \(color) title \(title)")
      }
      histograms.append("$histogram\(index) using 1:2 with histeps \(color) title \(title)")
    }
    if let outside = robust?.outside("outside", hits.map { ($0.time, $0.difference / 1e3) }, unit: "µs") {
      data += outside.data
      points.append(outside.curve)
    }
    let reference = report.hasRuns ? "the reference of each run" : report.tracks[0].name
    return Gnuplot.script(
      picture, title: report.provenance?.title ?? "", data: data,
      [
        Gnuplot.Panel(
          x: "time / s", y: "difference from \(reference) / µs",
          settings: RobustRange.settings(hits.map { $0.difference / 1e3 }, robust),
          curves: points),
        Gnuplot.Panel(x: RobustRange.label("difference / µs", robust), y: "hits", curves: histograms),
      ])
  }
}

/// A hit that is in a recording and in the reference: one row of the CSV output.
///
/// Real-time: not safe.
public struct AudioHit: Hashable, Sendable {
  /// The name of the recording.
  public let recording: String
  /// The number of the hit in the reference, from 0.
  public let hit: Int
  /// The instant of the hit in the reference, in seconds since the first frame of the reference.
  public let time: Double
  /// The instant of the hit in the recording minus its instant in the reference, in nanoseconds. If the recordings are aligned
  /// by their hits, the delay of the recording is subtracted.
  public let difference: Double
  /// True if the difference was measured by correlation; false if it is the difference of the detected onsets.
  public let isCorrelated: Bool

  /// The titles of the columns.
  public static let titles = "recording,hit,time_s,difference_ns,method"

  /// The row as text. A name with a comma, a quote or a line end is quoted (RFC 4180).
  public var text: String {
    let fields = [
      recording.quotedForCSV, "\(hit)", time.fixed(6), difference.fixed(1),
      isCorrelated ? "correlation" : "detection",
    ]
    return fields.joined(separator: ",")
  }
}

import MusicalTime

/// The comparison of several traces: the report, and the data of its plot.
public struct SyncAnalysis: Sendable {
  /// The figures.
  public var report: SyncReport
  /// The offsets of each comparison for the plot.
  let series: [SyncSeries]
  /// The time from the first to the last tick of the reference in seconds.
  let seconds: Double

  /// Compares traces and loads them when they are needed. If the first trace is the reference, at most two traces are
  /// in memory at one time. If the median timeline is the reference, all traces are in memory.
  ///
  /// - Parameters:
  ///   - names: the names of at least two traces, for errors.
  ///   - clockOffsets: the clock of each trace minus a common clock, in the order of the traces. Empty if all traces
  ///     share a clock.
  ///   - reference: the timeline with which the traces are compared.
  ///   - onRow: receives each tick that a trace and the reference have in common; nil if these ticks are not needed.
  ///   - load: returns the trace at an index of `names`.
  /// - Throws: ``ReportError`` for fewer than two traces, if the numbers of clock offsets and traces differ, for a
  ///   reference without ticks, for a trace with more than 1000 runs; the errors of `load`.
  ///
  /// Real-time: not safe.
  public init(
    names: [String], clockOffsets: [Nanoseconds] = [], reference: SyncReport.Reference = .first,
    onRow: ((SyncRow) -> Void)? = nil, load: (Int) throws -> SyncTrace
  ) throws {
    let clockOffsets = try ReportError.checkedClockOffsets(clockOffsets, of: names, kind: "trace")
    let first = try Self.checked(load(0))
    guard first.ticks.count > 0 else {
      throw ReportError(
        subject: first.header.name, reason: "the reference has no ticks",
        remedy: "as the first file, give the trace of a peer that played, normally that of the master")
    }
    var traces: [SyncTrace] = []
    var peers = [SyncReport.Peer(first)]
    var timeline = first.ticks
    if reference == .median {
      traces = [first] + (try names.indices.dropFirst().map { try Self.checked(load($0)) })
      timeline = DueTicks(medianOf: traces.map(\.ticks), clockOffsets: clockOffsets)
      peers = traces.map(SyncReport.Peer.init)
    }
    // The due instants can decrease from one run to the next, so the last one can be earlier than the first.
    let span = timeline.due.first!...max(timeline.due.first!, timeline.due.last!)
    seconds = Double(span.upperBound - span.lowerBound) / 1e9
    var (comparisons, series): ([SyncReport.Comparison], [SyncSeries]) = ([], [])
    for index in names.indices.dropFirst(reference == .first ? 1 : 0) {
      let trace = try reference == .median ? traces[index] : Self.checked(load(index))
      if reference == .first { peers.append(SyncReport.Peer(trace)) }
      let result = SyncComparison(
        name: trace.header.name, reference: timeline, span: span, other: trace.ticks,
        // The instants of the reference are by the clock of the first trace, even if the reference is the median timeline.
        clockOffset: clockOffsets[index] - clockOffsets[0], onRow: onRow)
      comparisons.append(result.figures)
      series.append(result.series)
    }
    report = SyncReport(reference: reference, peers: peers, comparisons: comparisons)
    self.series = series
  }

  /// Returns `trace` unchanged.
  ///
  /// - Throws: ``ReportError`` if it has too many runs.
  private static func checked(_ trace: SyncTrace) throws(ReportError) -> SyncTrace {
    try trace.ticks.checkRuns(of: trace.header.name)
    return trace
  }

  /// Returns a gnuplot script that draws the offset of each peer over time, and the histogram of the offsets. The script contains its data, reads no file, needs
  /// gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    var data = ""
    // All peers share one axis. Only its range decides which offsets are outside.
    let robust = RobustRange(series.flatMap { $0.points(seconds: seconds).map(\.y) })
    var (curves, histograms): ([String], [String]) = ([], [])
    for (index, (comparison, series)) in zip(report.comparisons, series).enumerated() where comparison.common > 0 {
      data += Gnuplot.data("time\(index)", series.lines(seconds: seconds))
      data += Gnuplot.data("histogram\(index)", series.histogram)
      let (color, title) = (Gnuplot.color(index), Gnuplot.quoted(comparison.name))
      curves.append("$time\(index) using 1:2:3 with filledcurves \(color) fs transparent solid 0.5 title \(title)")
      curves.append("$time\(index) using 1:2 with lines \(color) notitle")
      curves.append("$time\(index) using 1:3 with lines \(color) notitle")
      histograms.append("$histogram\(index) using 1:2 with histeps \(color) title \(title)")
    }
    if let outside = robust?.outside("outside", series.flatMap { $0.points(seconds: seconds) }, unit: "µs") {
      data += outside.data
      curves.append(outside.curve)
    }
    let reference = report.reference == .first ? report.peers[0].header.name : "the median timeline"
    return Gnuplot.script(
      picture, title: report.provenance?.title ?? "", data: data,
      [
        Gnuplot.Panel(
          x: "time / s", y: "offset from \(reference) / µs", settings: robust.map { [$0.setting] } ?? [], curves: curves
        ),
        Gnuplot.Panel(
          x: RobustRange.label("offset / µs", robust), y: "ticks", settings: Gnuplot.countAxis, curves: histograms),
      ])
  }
}

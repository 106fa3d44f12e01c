import MusicalTime

/// The synchronization of the timelines of several peers, measured from their traces.
///
/// The first trace is the reference, normally that of the master. The *offset* of a tick is its due instant at a peer
/// minus its due instant at the reference. It is the difference of the two timelines: it includes the effect of the
/// network and excludes the effect of the threads. The *lateness* of a tick is the delay with which a thread acted on
/// it. Offsets need a common clock. The traces of one machine share a clock, unless each peer ran in its own time
/// namespace: the known offset of each clock is then subtracted first. Ticks are compared per run (``Trace/runs``,
/// ``RunMatching``). The drift is the slope of the offsets over the time of the reference, over all runs.
public struct SyncReport: Hashable, Sendable, Codable {
  /// The data of one trace.
  public struct Peer: Hashable, Sendable, Codable {
    /// The peer and its system.
    public let header: TraceHeader
    /// The number of ticks in the trace.
    public let ticks: Int
    /// The number of runs of the rhythm.
    public let runs: Int
    /// The acted instant minus the due instant of every tick, with its sign.
    public let lateness: Figures
    /// The final counts that the peer wrote at its end; nil if the peer was killed.
    public let summary: TraceSummary?
    /// Whether the last line of the trace is incomplete.
    public let isCutOff: Bool

    private enum CodingKeys: String, CodingKey {
      case header, ticks, runs, lateness, summary
      case isCutOff = "cut_off"
    }
  }

  /// The comparison of one trace with the reference.
  public struct Comparison: Hashable, Sendable, Codable {
    /// The name of the peer.
    public let name: String
    /// The number of runs present in both traces.
    public let runs: Int
    /// The number of ticks present in both traces.
    public let common: Int
    /// The number of ticks that only the reference contains, because the peer joined late, left early or lost them.
    public let missing: Int
    /// The number of missing ticks between the first and the last common tick of a run.
    public let skipped: Int
    /// The number of ticks that the reference does not contain.
    public let extra: Int
    /// The due instant minus the due instant of the reference, with its sign.
    public let offset: Figures
    /// The absolute value of the offset.
    public let magnitude: Figures
    /// The slope of the offsets in parts per million; nil with fewer than two common ticks.
    public let drift: Double?

    private enum CodingKeys: String, CodingKey {
      case name, runs
      case common = "ticks_common"
      case missing = "ticks_missing"
      case skipped = "ticks_skipped"
      case extra = "ticks_extra"
      case offset, magnitude
      case drift = "drift_ppm"
    }
  }

  /// All traces, in the order given; the first is the reference.
  public let peers: [Peer]
  /// The comparisons of all traces, except the first, with the first.
  public let comparisons: [Comparison]

  /// Compares `traces` with the first of them.
  ///
  /// - Parameters:
  ///   - traces: at least two traces; the first is the reference.
  ///   - clockOffsets: the clock of each trace minus a common clock, in the order of the traces. Empty if
  ///     all traces share a clock.
  /// - Throws: ``ReportError`` for fewer than two traces, if the numbers of clock offsets and traces differ, for a
  ///   reference without ticks, for a trace with more than 1000 runs.
  ///
  /// Real-time: not safe.
  public init(traces: [Trace], clockOffsets: [Nanoseconds] = []) throws(ReportError) {
    let clockOffsets = try ReportError.checkedClockOffsets(clockOffsets, of: traces.map(\.header.name), kind: "trace")
    let runs = traces.map { trace in trace.runs.map { trace.ticks[$0] } }
    for (trace, runs) in zip(traces, runs) where runs.count > RunMatching.limit {
      throw ReportError(
        subject: trace.header.name, reason: "\(runs.count) runs of the rhythm, more than \(RunMatching.limit)",
        remedy: "record traces with fewer starts of the rhythm")
    }
    guard !runs[0].isEmpty else {
      throw ReportError(
        subject: traces[0].header.name, reason: "the reference has no ticks",
        remedy: "as the first file, give the trace of a peer that played, normally that of the master")
    }
    peers = zip(traces, runs).map { trace, runs in
      Peer(
        header: trace.header, ticks: trace.ticks.count, runs: runs.count,
        lateness: Figures(signed: trace.ticks.lazy.map { $0.acted - $0.due }), summary: trace.summary,
        isCutOff: trace.isCutOff)
    }
    comparisons = traces.indices.dropFirst().map { index in
      Comparison(
        name: traces[index].header.name, reference: runs[0], other: runs[index],
        clockOffset: clockOffsets[index] - clockOffsets[0])
    }
  }
}

extension SyncReport.Comparison {
  /// Compares the runs of a trace with the runs of the reference.
  ///
  /// - Parameters:
  ///   - name: the name of the peer.
  ///   - reference: the ticks of each run of the reference.
  ///   - other: the ticks of each run of the trace.
  ///   - clockOffset: the trace's clock minus the reference's clock.
  fileprivate init(
    name: String, reference: [ArraySlice<TraceTick>], other: [ArraySlice<TraceTick>], clockOffset: Nanoseconds
  ) {
    let pairs = RunMatching(reference, other, clockOffset: clockOffset).pairs
    var (offsets, fit, skipped) = ([Nanoseconds](), DriftFit(), 0)
    for (i, j) in pairs {
      let (referenceRun, otherRun) = (reference[i], other[j])
      // The indices of the next tick in each run, and of the last common tick in the run of the reference.
      var (a, b) = (referenceRun.startIndex, otherRun.startIndex)
      var lastCommon: Int?
      while a < referenceRun.endIndex, b < otherRun.endIndex {
        if referenceRun[a].tick == otherRun[b].tick {
          let offset = otherRun[b].due - clockOffset - referenceRun[a].due
          offsets.append(offset)
          fit.append(offset, at: referenceRun[a].due)
          if let lastCommon { skipped += a - lastCommon - 1 }
          lastCommon = a
          a += 1
          b += 1
        } else if referenceRun[a].tick < otherRun[b].tick {
          a += 1
        } else {
          b += 1
        }
      }
    }
    self.name = name
    runs = pairs.count
    common = offsets.count
    missing = reference.reduce(0) { $0 + $1.count } - offsets.count
    self.skipped = skipped
    extra = other.reduce(0) { $0 + $1.count } - offsets.count
    offset = Figures(signed: offsets)
    magnitude = Figures(absolute: offsets)
    drift = fit.partsPerMillion
  }
}

import MusicalTime

/// How well several peers kept together, from their traces: the same tick, due here and due there.
///
/// The first trace is the reference, normally the master's. A tick's *offset* is when it was due at a peer minus when
/// it was due at the reference: the difference of their timelines, with the network's work in it and the threads' left
/// out. How late a thread acted on a tick is its *lateness*. Traces of one machine share a clock; where peers ran in
/// time namespaces of their own, what each clock was ahead is taken out first, and offsets are true. Ticks are compared
/// run by run (``Trace/runs``, ``RunMatching``); drift is the slope of the offsets over the reference's time, through
/// all runs.
public struct SyncReport: Hashable, Sendable, Codable {
  /// One trace by itself.
  public struct Peer: Hashable, Sendable, Codable {
    /// Who it was, and what it ran on.
    public let header: TraceHeader
    public let ticks: Int
    /// How often the rhythm was started.
    public let runs: Int
    /// Acted minus due of every tick, with its sign.
    public let lateness: Figures
    /// What the peer counted; nil when it was killed.
    public let summary: TraceSummary?
    /// Whether its trace ends inside a line.
    public let isCutOff: Bool

    private enum CodingKeys: String, CodingKey {
      case header, ticks, runs, lateness, summary
      case isCutOff = "cut_off"
    }
  }

  /// One trace against the reference.
  public struct Comparison: Hashable, Sendable, Codable {
    public let name: String
    /// Runs of the rhythm that both took part in.
    public let runs: Int
    /// Ticks of both.
    public let common: Int
    /// Ticks of the reference that the trace has not, whether it came late, left early or lost them.
    public let missing: Int
    /// Those of the missing that lie between the first and the last common tick of a run: holes.
    public let skipped: Int
    /// Ticks of the trace that the reference has not.
    public let extra: Int
    /// Due minus the reference's due, with its sign.
    public let offset: Figures
    /// The same without its sign.
    public let magnitude: Figures
    /// Parts per million by which the trace's offsets grow; nil with fewer than two ticks in common.
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
  /// All traces but the first, against the first.
  public let comparisons: [Comparison]

  /// Compares `traces` with the first of them.
  ///
  /// - Parameter clockAhead: by how much the clock of each trace is ahead of a common one, in the order of the traces;
  ///   empty
  ///   when all share a clock.
  /// - Throws: ``ReportError`` for fewer than two traces, for as many clocks as there are no traces, for a reference
  ///   without
  ///   ticks, for a trace with more than 1000 runs.
  ///
  /// Real-time: not safe.
  public init(traces: [Trace], clockAhead: [Nanoseconds] = []) throws(ReportError) {
    let leads = try ReportError.leads(clockAhead, of: traces.map(\.header.name), kind: "trace")
    let runs = traces.map { trace in trace.runs.map { trace.ticks[$0] } }
    for (trace, runs) in zip(traces, runs) where runs.count > RunMatching.limit {
      throw ReportError(
        subject: trace.header.name, reason: "the rhythm starts \(runs.count) times, more than \(RunMatching.limit)",
        remedy: "give shorter traces")
    }
    guard !runs[0].isEmpty else {
      throw ReportError(
        subject: traces[0].header.name, reason: "the reference has no ticks",
        remedy: "give the trace of a peer that played, the master's first")
    }
    peers = zip(traces, runs).map { trace, runs in
      Peer(
        header: trace.header, ticks: trace.ticks.count, runs: runs.count,
        lateness: Figures(signed: trace.ticks.lazy.map { $0.acted - $0.due }), summary: trace.summary,
        isCutOff: trace.isCutOff)
    }
    comparisons = traces.indices.dropFirst().map { index in
      Comparison(name: traces[index].header.name, runs[0], runs[index], lead: leads[index] - leads[0])
    }
  }
}

extension SyncReport.Comparison {
  /// - Parameter lead: by how much the second clock is ahead of the first.
  fileprivate init(
    name: String, _ reference: [ArraySlice<TraceTick>], _ other: [ArraySlice<TraceTick>], lead: Nanoseconds
  ) {
    let pairs = RunMatching(reference, other, lead: lead).pairs
    var (offsets, line, skipped) = ([Nanoseconds](), DriftLine(), 0)
    for (i, j) in pairs {
      let (first, second) = (reference[i], other[j])
      var (a, b) = (first.startIndex, second.startIndex)
      var last: Int?
      while a < first.endIndex, b < second.endIndex {
        if first[a].tick == second[b].tick {
          let offset = second[b].due - lead - first[a].due
          offsets.append(offset)
          line.append(offset, at: first[a].due)
          if let last { skipped += a - last - 1 }
          last = a
          a += 1
          b += 1
        } else if first[a].tick < second[b].tick {
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
    drift = line.partsPerMillion
  }
}

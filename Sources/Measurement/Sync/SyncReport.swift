import MusicalTime

/// The synchronization of the timelines of several peers, measured from their traces.
///
/// The *offset* of a tick is its due instant at a peer minus its due instant on the reference timeline
/// (``Reference``). The offset includes the effect of the network on the timeline of the peer, but not the delay of threads.
/// The *lateness* of a tick is the delay with which a thread acted on the tick. The article <doc:SyncFigures> defines each
/// figure.
///
/// Real-time: not safe.
public struct SyncReport: Hashable, Sendable, Codable {
  /// The timeline with which the peers are compared.
  public enum Reference: String, Hashable, Sendable, CaseIterable, Codable {
    /// The timeline of the first trace, normally that of the master.
    case first
    /// The median timeline: the due instant of a tick is the median of its due instants in all traces that contain the tick.
    /// Each trace is itself a part of this reference, so the offsets are too small if there are few traces.
    case median
  }

  /// The data of one trace.
  public struct Peer: Hashable, Sendable, Codable {
    /// The peer and its system.
    public let header: TraceHeader
    /// The number of ticks in the trace.
    public let ticks: Int
    /// The number of runs of the rhythm.
    public let runs: Int
    /// The acted instant minus the due instant of every tick, with its sign; nil without ticks.
    public let lateness: Distribution?
    /// The final counts that the peer wrote at its end; nil if the peer was killed.
    public let summary: TraceSummary?
    /// Whether the last line of the trace is incomplete.
    public let isCutOff: Bool

    init(_ trace: SyncTrace) {
      (header, lateness, summary, isCutOff) = (trace.header, trace.lateness, trace.summary, trace.isCutOff)
      (ticks, runs) = (trace.ticks.count, trace.ticks.runs.count)
    }

    private enum CodingKeys: String, CodingKey {
      case header, ticks, runs, lateness, summary
      case isCutOff = "cut_off"
    }
  }

  /// The comparison of one trace with the reference.
  public struct Comparison: Hashable, Sendable, Codable {
    /// The name of the peer.
    public let name: String
    /// The number of runs present in both timelines.
    public let runs: Int
    /// The number of ticks present in both timelines.
    public let common: Int
    /// The number of ticks that only the reference contains, because the peer joined late, left early or lost them.
    public let missing: Int
    /// The number of missing ticks between the first and the last common tick of a run.
    public let skipped: Int
    /// The number of ticks of the peer that the reference does not contain.
    public let extra: Int
    /// The distribution of the offsets, with their signs; nil without a common tick.
    public let offset: Distribution?
    /// The distribution of the absolute offsets; nil without a common tick.
    public let magnitude: Distribution?
    /// The slope of the offsets within the runs, in parts per million; nil if no run has two common ticks.
    public let drift: Double?
    /// The standard error of ``drift`` in parts per million (``DriftFit``); nil with too few common ticks.
    public let driftError: Double?
    /// The offsets in each interval of time that contains a common tick.
    public let overTime: [SyncInterval]
    /// The figures of the runs with at least 24 common ticks; nil without such a run.
    public let perRun: SyncRuns?

    private enum CodingKeys: String, CodingKey {
      case name, runs
      case common = "ticks_common"
      case missing = "ticks_missing"
      case skipped = "ticks_skipped"
      case extra = "ticks_extra"
      case offset, magnitude
      case drift = "drift_ppm"
      case driftError = "drift_standard_error_ppm"
      case overTime = "over_time"
      case perRun = "per_run"
    }
  }

  /// The program, the traces and the command line; nil in a report that is not the result of a command.
  public var provenance: Provenance?
  /// The timeline with which the peers are compared.
  public let reference: Reference
  /// All traces, in the order given.
  public let peers: [Peer]
  /// The comparisons with the reference. If the reference is the first trace, there is one for each other trace. If it is the
  /// median timeline, there is one for each trace.
  public let comparisons: [Comparison]

  init(reference: Reference, peers: [Peer], comparisons: [Comparison]) {
    (self.reference, self.peers, self.comparisons) = (reference, peers, comparisons)
  }

  /// Compares `traces`.
  ///
  /// - Parameters:
  ///   - traces: at least two traces.
  ///   - clockOffsets: the clock of each trace minus a common clock, in the order of the traces. Empty if
  ///     all traces share a clock.
  ///   - reference: the timeline with which the traces are compared.
  /// - Throws: ``ReportError`` for fewer than two traces, if the numbers of clock offsets and traces differ, for a
  ///   reference without ticks, for a trace with more than 1000 runs.
  ///
  /// Real-time: not safe.
  public init(
    traces: [Trace], clockOffsets: [Nanoseconds] = [], reference: Reference = .first
  ) throws(ReportError) {
    do {
      self = try SyncAnalysis(names: traces.map(\.header.name), clockOffsets: clockOffsets, reference: reference) {
        SyncTrace(traces[$0])
      }.report
    } catch {
      // Only the loading of a trace can throw an error of another type, and these traces are in memory.
      throw error as! ReportError
    }
  }
}

/// The offsets of one peer within an interval of time.
public struct SyncInterval: Hashable, Sendable, Codable {
  /// The beginning and the end of the interval in seconds since the first tick of the reference.
  public let start, end: Double
  /// The mean offset, with its sign, in microseconds.
  public let mean: Double
  /// The distribution of the absolute offsets.
  public let magnitude: Distribution

  private enum CodingKeys: String, CodingKey {
    case start = "start_s"
    case end = "end_s"
    case mean = "mean_us"
    case magnitude
  }

  /// Returns the length, in seconds, of the intervals into which `seconds` is divided. The length is 1, 2 or 5 times a power of
  /// ten, at least 1 ms, and there are at most ten intervals.
  static func length(dividing seconds: Double) -> Double {
    var power = 1e-3
    while true {
      for factor in [1.0, 2, 5] where seconds <= 10 * factor * power { return factor * power }
      power *= 10
    }
  }
}

/// The figures of one peer over all its runs. A run is one playback of the rhythm, from a start to a stop. For each run, the
/// percentiles of the absolute offsets are calculated. A figure is the median of one percentile over the runs, with its 95 %
/// interval.
public struct SyncRuns: Hashable, Sendable, Codable {
  /// The distribution of the absolute offsets of each run, in order.
  public let magnitudes: [Distribution]
  /// The median over the runs of the 50 %, 95 % and 99 % percentiles and of the maximum.
  public let p50, p95, p99, maximum: RunStatistic

  /// The smallest number of common ticks of a run, a quarter note. ``SyncOffsets/perRun`` omits a run with fewer common ticks.
  static let fewestTicks = 24

  /// Creates the figures; nil if there are no runs.
  init?(_ magnitudes: [Distribution]) {
    guard let p50 = RunStatistic(magnitudes.map(\.p50)), let p95 = RunStatistic(magnitudes.map(\.p95)),
      let p99 = RunStatistic(magnitudes.map(\.p99)), let maximum = RunStatistic(magnitudes.map(\.maximum))
    else { return nil }
    self.magnitudes = magnitudes
    (self.p50, self.p95, self.p99, self.maximum) = (p50, p95, p99, maximum)
  }

  private enum CodingKeys: String, CodingKey {
    case magnitudes, p50, p95, p99
    case maximum = "max"
  }
}

/// The report of `tutti measure path`: how much each stage of a path contributes to the delay and the jitter of the ticks of peers. The
/// article <doc:PathFigures> defines each figure.
///
/// Real-time: not safe.
public struct PathReport: Hashable, Sendable, Encodable {
  /// One stage of a path.
  public struct Stage: Hashable, Sendable, Encodable {
    /// The names of the first and the last instant of the stage, for example "due -> woken".
    public let name: String
    /// The duration of the stage in nanoseconds. It is negative if the second instant is earlier than the first.
    public let duration: Distribution
    /// The share of the stage in the variance of the total: the covariance of the stage and the total, divided by the variance of the
    /// total. The shares of a path sum to 1. A negative share means that the stage reduces the jitter. Nil if the total does not vary.
    public let share: Double?
    /// The standard error of ``share`` if the ticks are independent; nil with fewer than three ticks, or if the total does not vary.
    public let shareError: Double?

    private enum CodingKeys: String, CodingKey {
      case name = "stage"
      case duration
      case share = "variance_share"
      case shareError = "variance_share_standard_error"
    }
  }

  /// The figures of one path.
  public struct Path: Hashable, Sendable, Encodable {
    /// The kind of the path.
    public let kind: PathKind
    /// The stages of the path, in order.
    public let stages: [Stage]
    /// The sum of the durations of all stages of a tick, in nanoseconds.
    public let total: Distribution

    private enum CodingKeys: String, CodingKey {
      case kind = "path"
      case stages, total
    }
  }

  /// A path without figures.
  public struct Missing: Hashable, Sendable, Encodable {
    /// The kind of the path.
    public let path: PathKind
    /// Why there are no figures.
    public let reason: String
  }

  /// The figures of one trace.
  public struct Peer: Hashable, Sendable, Encodable {
    /// The path of the file.
    public let file: String
    /// The peer and its system.
    public let header: TraceHeader
    /// The number of ticks, and the number of steps that sounded.
    public internal(set) var (ticks, hits) = (0, 0)
    /// The uncertainty of the offset of the master's clock in nanoseconds, as the peer estimated it at each tick with a packet. Nil without
    /// such ticks.
    public internal(set) var offsetUncertainty: Distribution?
    /// The paths with figures.
    public internal(set) var paths: [Path] = []
    /// The paths without figures.
    public internal(set) var missing: [Missing] = []
    /// Notes for the user, each in one line.
    public internal(set) var notes: [String] = []

    init(file: String, header: TraceHeader) { (self.file, self.header) = (file, header) }

    private enum CodingKeys: String, CodingKey {
      case file, header, ticks, paths, missing, notes
      case hits = "steps_with_sound"
      case offsetUncertainty = "clock_offset_uncertainty"
    }
  }

  /// The origin of the figures: the program, its command line, and the digests of the traces.
  public var provenance: Provenance
  /// The peers, in the order of the traces.
  public var peers: [Peer]

  /// Creates a report.
  ///
  /// Real-time: not safe.
  public init(provenance: Provenance, peers: [Peer]) { (self.provenance, self.peers) = (provenance, peers) }
}

/// The stages of the delay and of the jitter of ticks, from the traces of peers. The article <doc:PathFigures> defines each figure.
public struct PathReport: Hashable, Sendable, Encodable {
  /// One stage of a path.
  public struct Stage: Hashable, Sendable, Encodable {
    /// The two instants, for example "due -> woken".
    public let name: String
    /// The duration of the stage, with its sign.
    public let duration: Distribution
    /// The share of the variance of the total: the covariance of the stage and the total, divided by the variance of the total. The
    /// shares of a path sum to 1. Negative: the stage reduces the jitter. Nil if the total does not vary.
    public let share: Double?
    /// The standard error of ``share`` if the ticks are independent; nil with fewer than three ticks.
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
    /// The path.
    public let kind: PathKind
    /// Its stages, in order.
    public let stages: [Stage]
    /// The sum of the stages of each tick.
    public let total: Distribution

    private enum CodingKeys: String, CodingKey {
      case kind = "path"
      case stages, total
    }
  }

  /// A path without figures.
  public struct Missing: Hashable, Sendable, Encodable {
    /// The path.
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
    /// The number of ticks, and of steps that sounded.
    public internal(set) var (ticks, hits) = (0, 0)
    /// The stated uncertainty of the offset of the master's clock, over the ticks with a packet; nil without such ticks.
    public internal(set) var offsetUncertainty: Distribution?
    /// The paths with figures.
    public internal(set) var paths: [Path] = []
    /// The paths without figures.
    public internal(set) var missing: [Missing] = []
    /// Notes, each in one line.
    public internal(set) var notes: [String] = []

    init(file: String, header: TraceHeader) { (self.file, self.header) = (file, header) }

    private enum CodingKeys: String, CodingKey {
      case file, header, ticks, paths, missing, notes
      case hits = "steps_with_sound"
      case offsetUncertainty = "clock_offset_uncertainty"
    }
  }

  /// The program, its command line and the digests of the traces.
  public var provenance: Provenance
  /// The peers, in the order of the traces.
  public var peers: [Peer]

  /// Creates a report.
  ///
  /// Real-time: not safe.
  public init(provenance: Provenance, peers: [Peer]) { (self.provenance, self.peers) = (provenance, peers) }
}

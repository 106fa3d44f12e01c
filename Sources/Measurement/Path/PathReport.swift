/// A kind of path of a tick through a peer: a sequence of instants. The stages of the path are the times between successive instants.
///
/// Real-time: not safe.
public enum PathKind: String, Hashable, Sendable, CaseIterable, Codable {
  /// From the due instant to the write to the ALSA clock port.
  case clockPort = "clock port"
  /// From the due instant to the packet for a play-on-arrival receiver.
  case packets = "packets at the due time"
  /// From the due instant to the packet for a time-stamp receiver. The packet leaves before the due instant, so the duration is negative.
  case packetsAhead = "packets ahead of the due time"
  /// From the due instant at a follower to the arrival of the master's packet. The packet is usually sent before the due instant, so the
  /// first duration is usually negative.
  case network
  /// From the due instant to the first frame of the sound, at a peer that follows no Tutti master.
  case sound
  /// From the due instant to the first frame of the sound, at a follower of a Tutti master.
  case receivedSound = "sound of a follower"

  /// The names of the instants, in the order of the path. "Woken": the clock thread found that the tick was due. "Scheduled": the clock
  /// thread passed the hits of the step to the audio thread. The article <doc:PathFigures> defines all instants.
  public var instants: [String] {
    switch self {
    case .clockPort: ["due", "woken", "written"]
    case .packets: ["due", "woken", "sent"]
    case .packetsAhead: ["due", "sent"]
    case .network: ["due", "sent", "received"]
    case .sound: ["due", "scheduled", "first frame"]
    case .receivedSound: ["due", "sent", "received", "scheduled", "first frame"]
    }
  }

  /// The names of the stages, in the order of the path.
  public var stages: [String] { zip(instants, instants.dropFirst()).map { "\($0) -> \($1)" } }
}

/// The report of `tutti measure path`: how much each stage of a path contributes to the delay and the jitter of the ticks of peers. The
/// article <doc:PathFigures> defines each figure.
///
/// Real-time: not safe.
public struct PathReport: Hashable, Sendable, Encodable {
  /// One stage of a path.
  public struct Stage: Hashable, Sendable {
    /// The names of the first and the last instant of the stage, for example "due -> woken".
    public let name: String
    /// The duration of the stage in nanoseconds. It is negative if the second instant is earlier than the first.
    public let duration: Distribution
    /// The share of the stage in the variance of the total: the covariance of the stage and the total, divided by the variance of the
    /// total. The shares of a path sum to 1. A negative share means that the stage reduces the jitter. Nil if the total does not vary.
    public let share: Double?
    /// The standard error of ``share`` (``ShareJackknife``); nil with fewer than eight ticks, or if the total does not vary or wanders.
    public let shareError: Double?

    /// The largest standard error with which a share is reported. With a larger error, the 95 % interval is wider than the range from 0 to 1.
    static let largestShareError = 0.25
    /// The smallest standard deviation of the total with which shares are reported, in nanoseconds: the resolution of the instants.
    static let smallestTotal = 1.0
  }

  /// The figures of one path.
  public struct Path: Hashable, Sendable {
    /// The kind of the path.
    public let kind: PathKind
    /// The stages of the path, in order.
    public let stages: [Stage]
    /// The sum of the durations of all stages of a tick, in nanoseconds.
    public let total: Distribution

    /// Whether the report contains the shares. The shares sum to 1, so the report contains all of them or none. They are suppressed if a
    /// standard error is unknown or above 25 %, or if the standard deviation of the total is below 1 ns.
    public var hasShares: Bool {
      guard let deviation = total.standardDeviation, deviation >= Stage.smallestTotal else { return false }
      return stages.allSatisfy { stage in stage.share != nil && (stage.shareError ?? 1) <= Stage.largestShareError }
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

extension PathReport.Path: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let stages = stages.map { stage -> JSONObject in
      [
        "stage": stage.name, "duration": stage.duration, "variance_share": hasShares ? stage.share : nil,
        "variance_share_standard_error": hasShares ? stage.shareError : nil,
      ]
    }
    try encoder.encode(["path": kind, "stages": stages, "total": total])
  }
}

extension PathReport: CustomStringConvertible {
  /// The report as text, as `tutti measure path` prints it. For each peer, it contains a table for each path, the paths without figures,
  /// and the notes.
  public var description: String {
    peers.map(\.text).joined(separator: "\n") + "\n"
      + "Times in us. share: covariance of the stage and the total / variance of the total; +-: its standard error;\n"
      + "no share: a standard error is above 25 %, the total wanders or varies by less than 1 ns, or too few ticks.\n\n"
      + provenance.lines.joined(separator: "\n") + "\n"
  }
}

extension PathReport.Peer {
  fileprivate var text: String {
    var text = "\(header.name) (\(file)): \(ticks) ticks, \(hits) steps with sound\n"
    for path in paths { text += "\n\(path.kind.rawValue)\n\(path.table)" }
    if let offsetUncertainty {
      text += "\nclock offset: uncertainty p50 \(Double?(offsetUncertainty.p50).microseconds) us, "
      text += "max \(offsetUncertainty.maximum.microseconds) us; "
      text += "an error of the offset lengthens `sent -> received` and shortens the stage after it, or the reverse\n"
    }
    if !missing.isEmpty || !notes.isEmpty { text += "\n" }
    for missing in missing { text += "no figures for \(missing.path.rawValue): \(missing.reason)\n" }
    for note in notes { text += "note: \(note)\n" }
    return text
  }
}

extension PathReport.Path {
  /// The figures as a table.
  fileprivate var table: TextTable {
    let rows = stages.map {
      Self.row($0.name, $0.duration, share: hasShares ? $0.share : nil, error: hasShares ? $0.shareError : nil)
    }
    let sum = Self.row("total", total, share: hasShares ? 1 : nil, error: nil)
    return TextTable(
      columns: ["stage", "count", "min", "p50", "p95", "p99.9", "max", "mean", "sd", "share %", "+-"],
      rows: rows + [sum])
  }

  private static func row(_ name: String, _ figures: Distribution, share: Double?, error: Double?) -> [String] {
    let durations: [Double?] = [
      figures.minimum, figures.p50, figures.p95, figures.p999, figures.maximum, figures.mean, figures.standardDeviation,
    ]
    return [name, "\(figures.count)"] + durations.map(\.microseconds)
      + [share.fixed(1, scale: 100), error.fixed(1, scale: 100)]
  }
}

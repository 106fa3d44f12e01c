/// The duration of one stage at one tick: one row of the CSV output of `tutti measure path`.
///
/// Real-time: not safe.
public struct PathRow: Hashable, Sendable {
  /// The path of the trace in the file system.
  public let file: String
  /// The kind of path of the tick.
  public let path: PathKind
  /// The number of the tick.
  public let tick: Int64
  /// The due instant of the tick in nanoseconds of the peer's local time.
  public let due: Int64
  /// The name of the stage.
  public let stage: String
  /// The duration of the stage in nanoseconds.
  public let duration: Int64

  /// The titles of the columns.
  public static let titles = "file,path,tick,due_ns,stage,duration_ns"

  /// The row as text. A name with a comma, a quote or a line end is quoted (RFC 4180).
  public var text: String { "\(file.quotedForCSV),\(path.rawValue),\(tick),\(due),\(stage),\(duration)" }
}

/// A tick that a peer and the reference have in common: one row of the CSV output.
///
/// Real-time: not safe.
public struct SyncRow: Hashable, Sendable {
  /// The name of the peer.
  public let peer: String
  /// The number of the run in the reference, from 0.
  public let run: Int
  /// The number of the tick.
  public let tick: Int64
  /// The due instant of the tick on the reference timeline, in nanoseconds.
  public let due: Int64
  /// The due instant of the tick at the peer minus ``due``, in nanoseconds.
  public let offset: Int64

  /// The titles of the columns.
  public static let titles = "peer,run,tick,reference_due_ns,offset_ns"

  /// The row as text. A name with a comma, a quote or a line end is quoted (RFC 4180).
  public var text: String { "\(peer.quotedForCSV),\(run),\(tick),\(due),\(offset)" }
}

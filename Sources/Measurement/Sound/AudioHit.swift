import MusicalTime

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

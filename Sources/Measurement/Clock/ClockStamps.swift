import MusicalTime

/// The stamps of the ticks of one clock, as a file contains them: the raw data of a ``ClockReport``.
///
/// A stamp takes 8 octets, and in a trace 4 more, so that a file of millions of ticks fits into memory.
public struct ClockStamps: Sendable {
  /// The instant of a tick in a trace that is measured.
  public enum Source: String, Sendable, CaseIterable, Codable {
    /// When the tick was due: the timeline of the peer, without its threads.
    case due
    /// When the peer sent or played the tick: the timeline and the threads.
    case acted
  }

  /// The name of the file, for messages.
  public let name: String
  /// The header of the trace; nil for a file of stamps.
  public internal(set) var header: TraceHeader?
  /// The instant that is measured; nil for a file of stamps, which does not state what its stamps mean.
  public internal(set) var source: Source?
  /// The stamps in nanoseconds, in the order of the file.
  public internal(set) var stamps: [Int64] = []
  /// For each stamp of a trace, the number of ticks since the previous stamp: 0 for the same tick again, ``restart``
  /// for a new run. Empty for a file of stamps, which has no tick numbers.
  var advances: [Int32] = []
  /// The tempo of the due instants of the trace, as the length of a tick in nanoseconds; nil for a file of stamps.
  public internal(set) var duePeriod: Double?
  /// What the reader has ignored, as messages for the user.
  public internal(set) var warnings: [String] = []

  /// The value in ``advances`` for the first stamp of a run.
  static let restart = Int32.min

  /// Creates stamps without tick numbers.
  ///
  /// Real-time: not safe.
  public init(name: String, stamps: [Int64] = []) { (self.name, self.stamps) = (name, stamps) }

  /// Adds a message for the user.
  ///
  /// Real-time: not safe.
  public mutating func warn(_ message: String) { warnings.append(message) }

  /// Appends the stamp of a line.
  ///
  /// - Throws: ``TraceError`` if it is more than 73 years from the origin of the clock, or earlier than the stamp
  ///   before in the same run.
  mutating func append(_ stamp: Int64, line: Int, isRestart: Bool = false) throws(TraceError) {
    guard (-TraceTick.limit...TraceTick.limit).contains(stamp) else {
      throw TraceError(
        file: name, line: line, reason: "\(stamp) is more than 73 years in nanoseconds",
        remedy: "count the stamps from a later origin")
    }
    if let last = stamps.last, stamp < last, !isRestart {
      throw TraceError(
        file: name, line: line, reason: "the instant is \(last - stamp) ns earlier than the one before",
        remedy: source == .due
          ? "measure --instant acted, or remove the lines before it"
          : "give the stamps of a clock that is not set back, in order, or remove the lines before it")
    }
    stamps.append(stamp)
  }
}

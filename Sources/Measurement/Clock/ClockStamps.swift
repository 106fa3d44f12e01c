import MusicalTime

/// The stamps of the ticks of one clock: the input of ``ClockAnalysis``. A stamp is the instant of a tick in a trace or in another file.
///
/// A stamp takes 8 octets. A stamp of a trace takes 4 more, for its ``advances``. The stamps of millions of ticks therefore fit into
/// memory.
public struct ClockStamps: Sendable {
  /// The instant of a tick that is used as its stamp. A trace contains both instants.
  public enum Source: String, Sendable, CaseIterable, Codable {
    /// When the tick was due. This instant contains the errors of the timeline of the peer, but not those of its threads.
    case due
    /// When the clock thread of the peer processed the tick. This instant contains the errors of the timeline and of the threads.
    case acted
  }

  /// The name of the file, for messages.
  public let name: String
  /// The header of the trace; nil for an input that is not a trace.
  public internal(set) var header: TraceHeader?
  /// Whether the stamps are the due or the acted instants of a trace; nil for an input that is not a trace.
  public internal(set) var source: Source?
  /// The stamps in nanoseconds, in the order of the file.
  public internal(set) var stamps: [Int64] = []
  /// For each stamp of a trace, the number of ticks since the previous stamp: 0 if the same tick is repeated, ``restart`` for the
  /// first stamp of a run, which is a sequence of ticks without a stop of the clock. Empty for an input without tick numbers, such as
  /// a file of stamps.
  var advances: [Int32] = []
  /// The mean length of a tick by the due instants of the trace, in nanoseconds; nil for an input that is not a trace.
  public internal(set) var duePeriod: Double?
  /// Warnings for the user, for example about a line that was ignored.
  public internal(set) var warnings: [String] = []

  /// The value in ``advances`` for the first stamp of a run.
  static let restart = Int32.min

  /// Creates stamps of ticks whose numbers are unknown.
  ///
  /// - Parameters:
  ///   - name: the name of the input, for messages.
  ///   - stamps: the stamps in nanoseconds, in ascending order.
  ///
  /// Real-time: not safe.
  public init(name: String, stamps: [Int64] = []) { (self.name, self.stamps) = (name, stamps) }

  /// Adds a message for the user.
  ///
  /// Real-time: not safe.
  public mutating func warn(_ message: String) { warnings.append(message) }

  /// Appends the stamp of a line of the file.
  ///
  /// - Parameters:
  ///   - stamp: the stamp in nanoseconds.
  ///   - line: the number of the line, for errors.
  ///   - isRestart: whether the stamp is the first one of a run. It may then be earlier than the previous stamp.
  /// - Throws: ``TraceError`` if the stamp is more than 73 years from the origin of the clock, or earlier than the previous stamp of the
  ///   same run.
  mutating func append(_ stamp: Int64, line: Int, isRestart: Bool = false) throws(TraceError) {
    guard (-TraceTick.limit...TraceTick.limit).contains(stamp) else {
      throw TraceError(
        file: name, line: line, reason: "\(stamp) ns is more than 73 years from the origin of the clock",
        remedy: "give the instants relative to a nearer origin")
    }
    if let last = stamps.last, stamp < last, !isRestart {
      let remedy =
        switch source {
        case .due: "measure with --instant acted, or record the trace again"
        case .acted: "record the trace again"
        case nil: "sort the stamps; if the clock was set back, remove the lines before line \(line)"
        }
      throw TraceError(
        file: name, line: line, reason: "the instant is \(last - stamp) ns earlier than the previous instant",
        remedy: remedy)
    }
    stamps.append(stamp)
  }
}

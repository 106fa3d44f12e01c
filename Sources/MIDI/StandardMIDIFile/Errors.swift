extension StandardMIDIFile {
  /// The error for bytes that are not a valid Standard MIDI File.
  ///
  /// Real-time: not safe.
  public struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in the file of the first byte that the error concerns. If the file or a chunk ends too early, the offset of its end.
    public let offset: Int
    /// What the reader found.
    public let found: String
    /// What the reader expected instead.
    public let expected: String

    /// `byte 23: found FF as a data byte; expected 00...7F`
    public var description: String { "byte \(offset): found \(found); expected \(expected)" }
  }

  /// A fault of a file that was read nevertheless.
  ///
  /// Real-time: not safe.
  public struct Warning: Hashable, Sendable, CustomStringConvertible {
    /// The offset in the file of the first byte that the warning concerns.
    public let offset: Int
    /// What the reader found.
    public let found: String
    /// What the file contains in place of the fault.
    public let consequence: String

    /// `byte 40: found A8 as a controller value; 7F is used`
    public var description: String { "byte \(offset): found \(found); \(consequence)" }
  }

  /// The warnings about a file. Only the first ones are stored, because a hostile file can cause millions.
  ///
  /// Real-time: not safe.
  public struct Warnings: Hashable, Sendable {
    /// The largest number of stored warnings.
    private static let limit = 10

    /// The first warnings, in the order of the file.
    public private(set) var first: [Warning] = []
    /// The number of all warnings.
    public private(set) var count = 0

    public init() {}

    mutating func add(_ warning: Warning) {
      if first.count < Self.limit { first.append(warning) }
      count += 1
    }

    mutating func add(_ other: Warnings) {
      first += other.first.prefix(Self.limit - first.count)
      count += other.count
    }
  }

  /// The error for a ``StandardMIDIFile`` that cannot be written.
  ///
  /// Real-time: not safe.
  public struct WriteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the track, from 0. Nil for a fault of the file as a whole.
    public let track: Int?
    /// The index of the event in the track, from 0. Nil for a fault of the track or the file as a whole.
    public let event: Int?
    /// The reason: what is wrong.
    public let reason: String
    /// The remedy: how to correct it.
    public let remedy: String

    /// `track 0, event 5: tick 3 is before tick 4 of the previous event; sort the events by tick, from 0 on`
    public var description: String {
      let place = [track.map { "track \($0)" }, event.map { "event \($0)" }].compactMap(\.self)
      return "\(place.isEmpty ? "file" : place.joined(separator: ", ")): \(reason); \(remedy)"
    }
  }
}

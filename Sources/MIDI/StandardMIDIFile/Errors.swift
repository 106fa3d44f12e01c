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

extension StandardMIDIFile {
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

/// A Standard MIDI File: tracks of events with times in ticks. The length of a tick is the ``division`` of the file, not
/// 1/24 quarter note as in MIDI clock.
///
/// ``init(bytes:)`` reads a file, ``bytes(usingRunningStatus:)`` writes one. Reading the written bytes returns an equal
/// value. Source: Standard MIDI Files 1.0 (MIDI Manufacturers Association, RP-001).
public struct StandardMIDIFile: Hashable, Sendable {
  /// The relation between the tracks of a file.
  public enum Format: UInt16, Hashable, Sendable, CaseIterable {
    /// One track.
    case singleTrack = 0
    /// Tracks that begin together and are played at the same time. The tempo and time signature events are in the first
    /// track.
    case simultaneousTracks = 1
    /// Independent sequences, such as the patterns of a drum machine. Each has its own tempo.
    case independentTracks = 2
  }

  /// The largest file that can be read or written, in bytes: 32 MiB. The limit bounds the work for a hostile file.
  public static let maximumBytes = 32 << 20
  /// The largest number of events that ``init(bytes:)`` reads and ``bytes(usingRunningStatus:)`` writes, without End of Track: 1 048 576.
  /// The limit bounds the memory for a hostile file, in which an event may take only two bytes. ``forEachEvent(in:_:)`` has no such limit.
  public static let maximumEvents = 1 << 20

  /// The relation between the tracks.
  public var format: Format
  /// The length of a tick.
  public var division: Division
  /// The tracks in the order of the file.
  public var tracks: [Track]

  /// Creates a file.
  ///
  /// Real-time: not safe.
  public init(format: Format, division: Division, tracks: [Track]) {
    (self.format, self.division, self.tracks) = (format, division, tracks)
  }

  /// Reads a file.
  ///
  /// The bytes may come from any source: for every input, the result is a file or an error, after bounded work. Chunks of
  /// unknown types are skipped. The reader accepts the following deviations from the specification:
  ///
  /// - Bytes after the last track that the header announces are ignored.
  /// - A file of format 0 that does not have exactly one track is read as format 1.
  /// - Bytes after End of Track are ignored. A track without End of Track ends at its last event.
  /// - A track whose length exceeds the rest of the file is accepted if its End of Track is in the file.
  /// - Running status remains valid after a meta event.
  /// - A system message outside an F7 packet is read as a message.
  /// - A SysEx event may repeat its first byte, F0. The repetition is dropped.
  /// - Meta events may have any length and content.
  /// - The file may be the data chunk of a RIFF file (`.rmi`).
  ///
  /// These faults cause a warning:
  ///
  /// - The file has fewer tracks than the header announces, but at least one.
  /// - A SysEx event contains status bytes. It is not used.
  /// - The second data byte of a message is above 7F. It is read as 7F. If the first one is above 7F, the message is not used.
  ///
  /// - Throws: ``ReadError`` at the first other fault.
  ///
  /// Real-time: not safe.
  public init(bytes: [UInt8]) throws(ReadError) {
    var warnings = Warnings()
    try self.init(bytes: bytes, &warnings)
  }

  /// Reads a file as ``init(bytes:)`` does, and adds the faults that it has tolerated to `warnings`.
  public init(bytes: [UInt8], _ warnings: inout Warnings) throws(ReadError) {
    var reader = try FileReader(bytes)
    self.init(format: reader.format, division: reader.division, tracks: [])
    var eventCount = 0
    defer { warnings.add(reader.warnings) }
    while var track = try reader.nextTrack() {
      var events: [Event] = []
      while let event = try track.next() {
        guard eventCount < Self.maximumEvents else {
          throw ReadError(
            offset: track.offset, found: "more than \(Self.maximumEvents) events", expected: "a shorter file")
        }
        events.append(event)
        eventCount += 1
      }
      tracks.append(Track(events, end: track.end))
      warnings.add(track.warnings)
    }
  }

  /// Reads a file and passes each event to `body`, track by track. The events are not stored, so the file may have any number of events.
  ///
  /// - Parameters:
  ///   - bytes: the file. ``init(bytes:)`` lists the deviations from the specification that are accepted.
  ///   - body: receives each event. The ticks do not decrease within a track.
  /// - Returns: the format and the length of a tick.
  /// - Throws: ``ReadError`` at the first fault. `body` has then received the events before the fault.
  ///
  /// Real-time: not safe.
  public static func forEachEvent(
    in bytes: [UInt8], _ body: (Event) -> Void
  ) throws(ReadError) -> (format: Format, division: Division) {
    var reader = try FileReader(bytes)
    while var track = try reader.nextTrack() {
      while let event = try track.next() { body(event) }
    }
    return (reader.format, reader.division)
  }

  /// Returns the encoded file. The same file with the same option always gives the same bytes.
  ///
  /// System messages other than System Exclusive are written as F7 escape packets, because the specification permits only channel
  /// messages outside such packets.
  ///
  /// - Parameter usingRunningStatus: whether the status byte of a channel message is omitted if it equals the status byte of the
  ///   previous event.
  /// - Throws: ``WriteError`` if no file can have these contents, if a reader would get other contents, or if the file is too large.
  ///
  /// Real-time: not safe.
  public func bytes(usingRunningStatus: Bool = true) throws(WriteError) -> [UInt8] {
    var writer = FileWriter(usesRunningStatus: usingRunningStatus)
    try writer.append(self)
    return writer.bytes
  }
}

/// Reads the events of a track chunk. ``StandardMIDIFile/init(bytes:)`` lists the deviations from the specification that it accepts.
struct TrackReader {
  typealias Content = StandardMIDIFile.Event.Content
  typealias ReadError = StandardMIDIFile.ReadError

  private var bytes: ByteReader
  /// Whether the file contains all bytes of the chunk.
  private let isComplete: Bool
  /// The running status, or nil.
  private var status: UInt8?
  /// The tick of the event that was read last. After ``next()`` has returned nil: the tick of End of Track, or of the last event if End of
  /// Track is missing.
  private(set) var end: Int64 = 0
  /// The offset in the file of the event that was read last, after its delta time.
  private(set) var offset = 0
  /// The warnings so far.
  private(set) var warnings = StandardMIDIFile.Warnings()

  init(_ bytes: ByteReader, isComplete: Bool) { (self.bytes, self.isComplete) = (bytes, isComplete) }

  /// Reads the next event. Returns nil at End of Track, or at the end of a complete chunk without End of Track. The reader must not be
  /// used after it has returned nil.
  mutating func next() throws(ReadError) -> StandardMIDIFile.Event? {
    while true {
      guard bytes.remaining > 0 else {
        // End of Track is missing. This is a fault only if the file ends before the end of the chunk.
        guard isComplete else { throw bytes.endError(expected: "the rest of the track chunk, up to End of Track") }
        return nil
      }
      // The sum cannot overflow: a file has fewer than 2^25 events, and a delta time is less than 2^28 ticks.
      end += Int64(try bytes.variableLength("a delta time"))
      offset = bytes.offset
      switch try item() {
      case .content(let content): return StandardMIDIFile.Event(tick: end, content)
      case .endOfTrack: return nil
      case .unusable: break
      }
    }
  }

  /// The part of an event that follows the delta time.
  private enum Item {
    case content(Content)
    case endOfTrack
    /// The event is not used. A warning states the reason.
    case unusable
  }

  private mutating func item() throws(ReadError) -> Item {
    let start = bytes.offset
    if let next = bytes.next, next < 0x80 {
      guard let status else {
        throw ReadError(
          offset: start, found: "data byte \(hex(next)) without running status", expected: "a status byte, 80...FF")
      }
      return try message(status, at: start)
    }
    let status = try bytes.byte("an event after the delta time")
    // By the specification, every event other than a channel message cancels running status. Here, a meta event (FF) does not cancel
    // it, because some files use running status after a meta event.
    if status != 0xFF { self.status = status < 0xF0 ? status : nil }
    switch status {
    case 0xF0: return try systemExclusive()
    case 0xF7: return .content(try escape())
    case 0xFF:
      let type = try bytes.byte("the type of a meta event")
      let content = try bytes.take(bytes.variableLength("the length of a meta event"), "a meta event")
      return type == StandardMIDIFile.MetaEvent.endOfTrack
        ? .endOfTrack : .content(.meta(StandardMIDIFile.MetaEvent(type: type, bytes: content)))
    default: return try message(status, at: start)
    }
  }

  /// Reads the data bytes of a message.
  ///
  /// - Parameter start: the offset of the message, for errors.
  private mutating func message(_ status: UInt8, at start: Int) throws(ReadError) -> Item {
    let count = Message.dataCount(status: status) ?? 0
    let place = bytes.offset
    let first = count > 0 ? try bytes.byte("a data byte") : 0
    let second = count > 1 ? try bytes.byte("a data byte") : 0
    // Some programs write values above 7F, which others read as 7F. A key or a controller above 7F does not exist.
    guard first < 0x80 else {
      warn(place, "\(hex(first)) as a data byte", "the message is not used")
      return .unusable
    }
    if second >= 0x80 { warn(place + 1, "\(hex(second)) as a data byte", "7F is used") }
    guard let message = Message(status: status, UInt7(masking: first), second < 0x80 ? UInt7(masking: second) : 127)
    else {
      throw ReadError(
        offset: start, found: "undefined status byte \(hex(status))", expected: "80...F3, F6...F8, FA...FC, FE or FF")
    }
    return .content(.message(message))
  }

  private mutating func systemExclusive() throws(ReadError) -> Item {
    var content = try bytes.take(bytes.variableLength("the length of a SysEx event"), "a SysEx event")
    let start = bytes.offset - content.count
    let repeatsF0 = content.first == 0xF0
    if repeatsF0 { content.removeFirst() }
    if let index = Content.invalidIndex(inSystemExclusive: content) {
      warn(start + (repeatsF0 ? 1 : 0) + index, "\(hex(content[index])) in a SysEx event", "the event is not used")
      return .unusable
    }
    return .content(.systemExclusive(content))
  }

  private mutating func warn(_ offset: Int, _ found: String, _ consequence: String) {
    warnings.add(.init(offset: offset, found: found, consequence: consequence))
  }

  /// Reads the part of an F7 packet that follows F7. A packet that consists of exactly one system message is read as this message.
  private mutating func escape() throws(ReadError) -> Content {
    let content = try bytes.take(bytes.variableLength("the length of an F7 packet"), "an F7 packet")
    return Content.systemMessage(content).map { .message($0) } ?? .escape(content)
  }
}

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

  init(_ bytes: ByteReader, isComplete: Bool) { (self.bytes, self.isComplete) = (bytes, isComplete) }

  /// Reads the next event. Returns nil at End of Track, or at the end of a complete chunk without End of Track. The reader must not be
  /// used after it has returned nil.
  mutating func next() throws(ReadError) -> StandardMIDIFile.Event? {
    guard bytes.remaining > 0 else {
      // End of Track is missing. This is a fault only if the file ends before the end of the chunk.
      guard isComplete else { throw bytes.endError(expected: "the rest of the track chunk, up to End of Track") }
      return nil
    }
    // The sum cannot overflow: a file has fewer than 2^25 events, and a delta time is less than 2^28 ticks.
    end += Int64(try bytes.variableLength("a delta time"))
    offset = bytes.offset
    return try content().map { StandardMIDIFile.Event(tick: end, $0) }
  }

  /// Reads the part of an event that follows the delta time. Returns nil for End of Track.
  private mutating func content() throws(ReadError) -> Content? {
    let start = bytes.offset
    if let next = bytes.next, next < 0x80 {
      guard let status else {
        throw ReadError(
          offset: start, found: "data byte \(hex(next)) without running status", expected: "a status byte, 80...FF")
      }
      return .message(try message(status, at: start))
    }
    let status = try bytes.byte("an event after the delta time")
    // By the specification, every event other than a channel message cancels running status. Here, a meta event (FF) does not cancel
    // it, because some files use running status after a meta event.
    if status != 0xFF { self.status = status < 0xF0 ? status : nil }
    switch status {
    case 0xF0: return .systemExclusive(try systemExclusive())
    case 0xF7: return try escape()
    case 0xFF:
      let type = try bytes.byte("the type of a meta event")
      let content = try bytes.take(bytes.variableLength("the length of a meta event"), "a meta event")
      return type == StandardMIDIFile.MetaEvent.endOfTrack
        ? nil : .meta(StandardMIDIFile.MetaEvent(type: type, bytes: content))
    default: return .message(try message(status, at: start))
    }
  }

  /// Reads the data bytes of a message.
  ///
  /// - Parameter start: the offset of the message, for errors.
  private mutating func message(_ status: UInt8, at start: Int) throws(ReadError) -> Message {
    let count = Message.dataCount(status: status) ?? 0
    let first = count > 0 ? try dataByte() : 0
    let second = count > 1 ? try dataByte() : 0
    guard let message = Message(status: status, first, second) else {
      throw ReadError(
        offset: start, found: "undefined status byte \(hex(status))", expected: "80...F3, F6...F8, FA...FC, FE or FF")
    }
    return message
  }

  private mutating func dataByte() throws(ReadError) -> UInt7 {
    let offset = bytes.offset
    let byte = try bytes.byte("a data byte")
    guard let value = UInt7(exactly: Int(byte)) else {
      throw ReadError(offset: offset, found: "\(hex(byte)) as a data byte", expected: "00...7F")
    }
    return value
  }

  private mutating func systemExclusive() throws(ReadError) -> [UInt8] {
    var content = try bytes.take(bytes.variableLength("the length of a SysEx event"), "a SysEx event")
    let start = bytes.offset - content.count
    let repeatsF0 = content.first == 0xF0
    if repeatsF0 { content.removeFirst() }
    if let index = Content.invalidIndex(inSystemExclusive: content) {
      throw ReadError(
        offset: start + (repeatsF0 ? 1 : 0) + index, found: "\(hex(content[index])) in a SysEx event",
        expected: "data bytes 00...7F, and F7 at the end")
    }
    return content
  }

  /// Reads the part of an F7 packet that follows F7. A packet that consists of exactly one system message is read as this message.
  private mutating func escape() throws(ReadError) -> Content {
    let content = try bytes.take(bytes.variableLength("the length of an F7 packet"), "an F7 packet")
    return Content.systemMessage(content).map { .message($0) } ?? .escape(content)
  }
}

/// Writes the events of a track chunk.
struct TrackWriter {
  typealias WriteError = StandardMIDIFile.WriteError

  /// The largest variable-length quantity: four bytes of seven bits.
  private static let maximumQuantity: Int64 = 0x0FFF_FFFF

  private(set) var bytes: [UInt8] = []
  private let index: Int
  private let usesRunningStatus: Bool
  /// The status that the next channel message may omit, or nil. Other events cancel running status.
  private var status: UInt8?
  /// The tick of the last event.
  private var tick: Int64 = 0

  /// - Parameter index: the index of the track, for errors.
  init(index: Int, usesRunningStatus: Bool) { (self.index, self.usesRunningStatus) = (index, usesRunningStatus) }

  mutating func append(_ track: StandardMIDIFile.Track) throws(WriteError) {
    for (position, event) in track.events.enumerated() {
      try appendDelta(to: event.tick, event: position)
      try append(event.content, event: position)
      // The size is checked after each event, so that a track that is too large takes little memory.
      guard bytes.count <= StandardMIDIFile.maximumBytes else {
        throw fault(position, "the file is too large", "use at most \(StandardMIDIFile.maximumBytes) bytes")
      }
    }
    try appendDelta(to: track.end, event: nil)
    bytes += [0xFF, StandardMIDIFile.MetaEvent.endOfTrack, 0]
  }

  /// Appends the delta time from the previous event to the tick `next`.
  ///
  /// - Parameter event: the index of the event at `next`, for errors; nil for End of Track.
  private mutating func appendDelta(to next: Int64, event: Int?) throws(WriteError) {
    guard next >= tick else {
      guard let event else {
        throw fault(nil, "the end at tick \(next) is before the last event at tick \(tick)", "use \(tick) or more")
      }
      throw fault(
        event, "tick \(next) is before tick \(tick) of the previous event", "sort the events by tick, from 0 on")
    }
    guard next - tick <= Self.maximumQuantity else {
      throw fault(
        event, "\(next - tick) ticks after the previous event", "use at most \(Self.maximumQuantity) ticks")
    }
    appendQuantity(Int(next - tick))
    tick = next
  }

  private mutating func append(_ content: StandardMIDIFile.Event.Content, event: Int) throws(WriteError) {
    switch content {
    case .message(let message) where message.isOfChannel: append(message)
    case .message(let message):
      // The specification permits a system message only in an F7 packet.
      let encoded = message.bytes
      try append([0xF7], (0..<encoded.count).map { encoded.octets[$0] }, event)
    case .systemExclusive(let content):
      if let index = StandardMIDIFile.Event.Content.invalidIndex(inSystemExclusive: content) {
        throw fault(
          event, "SysEx byte \(index) is \(hex(content[index]))", "use data bytes 00...7F, and F7 at the end")
      }
      try append([0xF0], content, event)
    case .escape(let content):
      // A reader would read this packet as a `.message`.
      guard StandardMIDIFile.Event.Content.systemMessage(content) == nil else {
        throw fault(event, "an escape packet contains just one system message", "use the content .message instead")
      }
      try append([0xF7], content, event)
    case .meta(let meta):
      guard meta.type != StandardMIDIFile.MetaEvent.endOfTrack else {
        throw fault(event, "End of Track among the events", "set the end of the track instead")
      }
      try append([0xFF, meta.type], meta.bytes, event)
    }
  }

  private mutating func append(_ message: Message) {
    let encoded = message.bytes
    let isRunning = usesRunningStatus && status == message.status
    for index in (isRunning ? 1 : 0)..<encoded.count { bytes.append(encoded.octets[index]) }
    status = message.status
  }

  /// Appends the bytes `head`, the length of `content`, and `content`.
  ///
  /// - Parameter event: the index of the event, for errors.
  private mutating func append(_ head: [UInt8], _ content: [UInt8], _ event: Int) throws(WriteError) {
    guard content.count <= StandardMIDIFile.maximumBytes else {
      throw fault(event, "\(content.count) bytes", "use at most \(StandardMIDIFile.maximumBytes)")
    }
    bytes += head
    appendQuantity(content.count)
    bytes += content
    status = nil
  }

  /// Appends a variable-length quantity: seven bits per byte, the most significant first. All bytes except the last have
  /// the top bit set.
  ///
  /// - Parameter quantity: 0...0FFFFFFF hexadecimal.
  private mutating func appendQuantity(_ quantity: Int) {
    for shift in stride(from: 21, through: 7, by: -7) where quantity >> shift > 0 {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: quantity >> shift))
    }
    bytes.append(UInt8(quantity & 0x7F))
  }

  private func fault(_ event: Int?, _ reason: String, _ remedy: String) -> WriteError {
    WriteError(track: index, event: event, reason: reason, remedy: remedy)
  }
}

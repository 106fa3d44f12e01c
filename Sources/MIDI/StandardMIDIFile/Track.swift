extension StandardMIDIFile {
  /// A track: events in the order of time, and the end of the track.
  public struct Track: Hashable, Sendable {
    /// The events without End of Track. The ticks do not decrease.
    public var events: [Event]
    /// The tick of End of Track: at least the tick of the last event. In a loop, the track begins again at this tick.
    public var end: Int64

    /// Creates a track.
    ///
    /// - Parameter end: the tick of End of Track; nil: the tick of the last event, or 0 without events.
    ///
    /// Real-time: not safe.
    public init(_ events: [Event] = [], end: Int64? = nil) {
      self.events = events
      self.end = end ?? events.last?.tick ?? 0
    }

    /// The text of the first Track Name. In the first track, this is the name of the sequence. Nil without a Track Name.
    ///
    /// Real-time: not safe.
    public var name: String? {
      for case .meta(let meta) in events.lazy.map(\.content) {
        if let name = meta.trackName { return name }
      }
      return nil
    }
  }

  /// An event of a track.
  public struct Event: Hashable, Sendable {
    /// The content of an event.
    public enum Content: Hashable, Sendable {
      /// A channel message or a system message.
      case message(Message)
      /// The bytes that follow an F0: data bytes, and F7 at the end of the message. If F7 is missing, the message continues in an F7
      /// packet (``escape(_:)``).
      case systemExclusive([UInt8])
      /// An F7 packet: bytes to be transmitted as they are, such as the continuation of a System Exclusive. A packet that
      /// consists of exactly one system message is represented by ``message(_:)`` instead.
      case escape([UInt8])
      case meta(MetaEvent)
    }

    /// The number of ticks from the beginning of the track. 0 or more.
    public var tick: Int64
    public var content: Content

    /// Creates an event.
    ///
    /// Real-time: not safe.
    public init(tick: Int64, _ content: Content) { (self.tick, self.content) = (tick, content) }
  }
}

extension StandardMIDIFile.Event.Content {
  /// Returns the index of the first byte that a SysEx event cannot contain; nil if `bytes` is valid. A SysEx event contains data bytes,
  /// and may end with F7.
  static func invalidIndex(inSystemExclusive bytes: [UInt8]) -> Int? {
    let invalid = bytes.firstIndex { $0 >= 0x80 }
    return invalid == bytes.count - 1 && bytes.last == 0xF7 ? nil : invalid
  }

  /// Returns the system message that `bytes` encodes; nil if `bytes` is not exactly one system message.
  static func systemMessage(_ bytes: [UInt8]) -> Message? {
    guard let status = bytes.first, status >= 0xF0, Message.dataCount(status: status) == bytes.count - 1,
      bytes.dropFirst().allSatisfy({ $0 < 0x80 })
    else { return nil }
    return Message(
      status: status, UInt7(masking: bytes.count > 1 ? bytes[1] : 0), UInt7(masking: bytes.count > 2 ? bytes[2] : 0))
  }
}

extension StandardMIDIFile {
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

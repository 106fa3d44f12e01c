public import MIDI
public import MusicalTime

/// A MIDI message for one or several RTP streams.
public struct StreamMessage: Sendable, BitwiseCopyable {
  /// The streams that a message is sent on.
  public enum Receiver: Hashable, Sendable, BitwiseCopyable {
    /// One stream.
    case stream(StreamID)
    /// All streams to Tutti peers.
    case tuttiPeers
    /// All streams to peers that are not known to be Tutti peers.
    case standardDevices
  }

  /// The MIDI message.
  public var message: Message
  /// The instant at which the message takes effect, in local time. If it is nil, the message takes effect when its packet is encoded.
  public var instant: Instant?
  /// The streams on which the message is sent.
  public var receiver: Receiver

  @_noLocks @_noAllocation
  public init(_ message: Message, at instant: Instant?, to receiver: Receiver) {
    (self.message, self.instant, self.receiver) = (message, instant, receiver)
  }
}

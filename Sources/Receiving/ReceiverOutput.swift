public import MIDI
public import RTPMIDI
public import Sending

extension Receiver {
  /// A result of the receiver.
  public enum Output: Sendable, BitwiseCopyable {
    /// Sound a message of the peer of a session, or of the local player (nil), at once.
    case sound(Message, from: SessionID?)
    /// Send a message of the local player, by the stream sender.
    case send(StreamMessage)
    /// Pass this to the control thread.
    case reception(Reception)
  }
}

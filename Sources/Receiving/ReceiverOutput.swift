public import MIDI
public import RTPMIDI
public import Sending

extension Receiver {
  /// A result of the receiver.
  public enum Output: Sendable, BitwiseCopyable {
    /// Sound a message at ``Receiver/instant``, and record it. The message is from the peer of a session, or from the
    /// local player (nil).
    case sound(Message, from: SessionID?)
    /// Sound a message of the peer of a session at ``Receiver/instant``, without recording it. The message is a note
    /// that is softer than it was played, or the end of a note that must not sound any longer.
    case hear(Message, from: SessionID)
    /// Record a message of the peer of a session, without sounding it: a note as it was played.
    case record(Message, from: SessionID)
    /// Press or release a key that sets a pitch of the local player's instrument. The message is a note of the peer of
    /// a session, or ends all notes of this peer.
    case pitch(Message, from: SessionID)
    /// Play a controller of the peer of a session as if the local player had sent it: the peer changes the sound of the instrument of
    /// the local player.
    case shape(Message, from: SessionID)
    /// Send a message of the local player, by the stream sender.
    case send(StreamMessage)
    /// Pass the reception to the control thread.
    case reception(Reception)
  }
}

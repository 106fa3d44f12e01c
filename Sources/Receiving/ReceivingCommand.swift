public import MIDI
public import MusicalTime
public import PeerProtocol
public import RTPMIDI
public import Sending

/// A command to the ``Receiver``, which is the only reader of every RTP stream and decides what sounds.
public enum ReceivingCommand: Sendable, BitwiseCopyable {
  /// Receives the stream of a new session. `slot` is below the capacity of the receiver and not in use. `source` identifies the
  /// packets of the stream. With keys, only datagrams with a valid tag are received.
  case open(slot: Int, SessionID, StreamSource, Admission, keys: SessionKeys? = nil)
  /// Sets what of a session is admitted, and how loud it sounds. If its notes do not sound any longer, those that sound end.
  case admit(slot: Int, SessionID, Admission)
  /// Sets the offset of the clock of a peer, the remote clock minus the local one; nil if it is not known. With it, messages of the
  /// peer take effect at the instants in their time stamps, if these are still to come.
  case clock(slot: Int, SessionID, offset: Nanoseconds?)
  /// Sounds a message on behalf of a session.
  case sound(slot: Int, SessionID, Message)
  /// Ends the reception of a session, and the notes that its peer holds.
  case close(slot: Int, SessionID)
  /// Plays a message of the local player.
  case play(Message)
  /// Sounds a message on behalf of the local player, without sending it to other peers.
  case soundForPlayer(Message)
  /// From now on, the player's messages on this input channel take this route.
  case route(Channel, PlayerRoute)
  /// From now on, this is the channel of the local player; nil: the player has none.
  case localChannel(Channel?)
  /// Ends the notes that the player holds for all peers, on their input channels, at the peer of one stream.
  case endNotesAsPlayed(StreamID)
  /// Ends the notes of the local player and refuses its new ones (true), or ends the refusal (false).
  case mute(Bool)
  /// Ends the notes of the local player, who leaves, and those that the peers of all sessions hold.
  case releaseNotes
  /// From now on, the replies to clock probes contain this rate limit: ``PeerProtocol/ClockProbe/rateLimit``.
  case limitProbes(UInt16)
}

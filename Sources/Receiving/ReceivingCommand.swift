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
  /// Sets what is admitted from the peer of a session, and how loud the peer's notes sound. If the notes must not sound
  /// any longer, the sounding notes are ended.
  case admit(slot: Int, SessionID, Admission)
  /// Sets the clock offset of a peer: the remote clock minus the local clock; nil if it is not known. With an offset, a
  /// message of the peer takes effect at the instant of its time stamp, if this instant is more than 2 ms and at most 4 s
  /// after the arrival of the message. All other messages take effect at once. Messages that end all notes always take
  /// effect at once.
  case clock(slot: Int, SessionID, offset: Nanoseconds?)
  /// Sounds a message as if the peer of a session had sent it, without checking the gates. An example is the reset of a channel
  /// that the peer has left.
  case sound(slot: Int, SessionID, Message)
  /// Ends the reception of a session, and the notes that its peer holds.
  case close(slot: Int, SessionID)
  /// Plays a message of the local player.
  case play(Message)
  /// Plays a message of another player of the local peer, a page or a device, on its channel. The muting of the local player does not
  /// concern it, and no instrument replaces it.
  case playForPage(Message)
  /// Sounds a message on behalf of the local player, without sending it to other peers.
  case soundForPlayer(Message)
  /// Sets the route of the player's messages on this input channel.
  case route(Channel, PlayerRoute)
  /// Sets the channels of the pages and devices of the local peer whose notes set the pitches of the local player's instrument: bit n is
  /// channel n + 1.
  case pitchChannels(UInt16)
  /// Sets the channel of the local player; nil if the player has none.
  case localChannel(Channel?)
  /// Ends the held notes of the local player at the peer of one stream, which has just been recognised as a Tutti peer. Until now, this
  /// peer got the messages to all peers on their input channels, like a standard device. The command ends the notes on these channels.
  /// The peer gets later messages on the channel of the local peer, so later Note Offs would not end these notes.
  case endNotesAsPlayed(StreamID)
  /// True: ends the notes of the local player and refuses new notes, because the master has muted the player or has made all
  /// players quiet. False: admits new notes again.
  case mute(Bool)
  /// Ends the notes and lifts the pedals that the peer of a session holds, because it does not answer any more.
  case endNotes(slot: Int, SessionID)
  /// Ends the notes of the local player, because the player leaves, and the notes that the peers of all sessions hold.
  case releaseNotes
  /// Sets the rate limit that the replies to clock probes contain: ``PeerProtocol/ClockProbe/rateLimit``.
  case limitProbes(UInt16)
}

/// The source of the packets of one session: the SSRC and the address that identify the packets, and the local SSRC for
/// replies.
///
/// The SSRC alone is not sufficient. If the receiver did not compare the address, a peer whose address has changed would
/// still get replies, and would not notice that its session does not work any more.
public struct StreamSource: Sendable, BitwiseCopyable {
  /// The SSRC of the remote peer.
  public let ssrc: UInt32
  /// The address of the remote data port.
  public let address: SocketAddress
  /// The SSRC of the local peer in this session.
  public let localSSRC: UInt32

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, address: SocketAddress, localSSRC: UInt32) {
    (self.ssrc, self.address, self.localSSRC) = (ssrc, address, localSSRC)
  }
}

public import MIDI
public import MusicalTime
public import RTPMIDI

/// What a ``Receiver`` has received, for the control thread. A trivial value that fits into a ring.
///
/// The time stamps of messages come from RTP packets, by the clock of the sender. A time stamp counts units of
/// 100 us. RTP transmits only its lower 32 bits, so the upper bits of the instant are not valid.
public enum Reception: Sendable, BitwiseCopyable {
  /// A packet of a session, and its send instant, if it has one. The messages of the packet follow.
  case packet(SessionID, PacketReport, sendInstant: Instant?)
  /// A message. A recovered message repairs an earlier loss. `isAdmitted` is true for a channel message that the gate and the
  /// message budget of the session have admitted, unless the message shapes the local player's instrument (``shaped(_:)``).
  case message(SessionID, Message, stamp: Instant, arrival: Instant, isRecovered: Bool, isAdmitted: Bool)
  /// The peer of a session has changed the sound of the local player's instrument. The message itself follows as
  /// ``message(_:_:stamp:arrival:isRecovered:isAdmitted:)``, in which `isAdmitted` is false.
  case shaped(SessionID)
  /// The receiver has ended a note or lifted a pedal that the peer of a session held, with this message, because the session
  /// has ended or the local player leaves.
  case released(SessionID, Message)
  /// A message of the local player or of the player's instrument was played. The message is on its input channel, the
  /// channel on which a program sent it. `soundedOn` is the channel on which the message sounds at the local peer; nil if it
  /// does not sound there.
  case played(Message, soundedOn: Channel?, from: MessageOrigin)
  /// The local player has played a note that the instrument replaces by its own notes.
  case struck
  /// A System Exclusive message. Its data are in ``Receiver/systemExclusive`` until the next call of ``Receiver/next(in:)``.
  case systemExclusive(SessionID, stamp: Instant, arrival: Instant)
  /// A packet with this SSRC that belongs to no session.
  case unknownSource(UInt32, from: SocketAddress, arrival: Instant)
  /// A packet was dropped.
  case dropped(PacketError)
}

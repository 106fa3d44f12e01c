public import MIDI
public import MusicalTime
public import PeerProtocol
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
    /// The same for a note of a page or a device of the local peer, which also sounds.
    case localPitch(Message)
    /// Play a controller of the peer of a session as if the local player had sent it: the peer changes the sound of the instrument of
    /// the local player.
    case shape(Message, from: SessionID)
    /// Send a message of the local player, by the stream sender.
    case send(StreamMessage)
    /// Pass the reception to the control thread.
    case reception(Reception)
  }
}

/// What a ``Receiver`` has received, for the control thread. A trivial value that fits into a ring.
///
/// The time stamps of messages come from RTP packets, by the clock of the sender. A time stamp counts units of
/// 100 us. RTP transmits only its lower 32 bits, so the upper bits of the instant are not valid.
public enum Reception: Sendable, BitwiseCopyable {
  /// A packet of a session, and its send instant, if it has one. The messages of the packet follow.
  case packet(SessionID, PacketReport, sendInstant: Instant?)
  /// A message. A recovered message repairs an earlier loss. `isAdmitted` is true for a channel message that the gate and the limit of the
  /// session have admitted, unless the message shapes the local player's instrument (``shaped(_:)``). A message that the limit drops is not
  /// passed on.
  case message(SessionID, Message, stamp: Instant, arrival: Instant, isRecovered: Bool, isAdmitted: Bool)
  /// The peer of a session has changed the sound of the local player's instrument. The message itself follows as
  /// ``message(_:_:stamp:arrival:isRecovered:isAdmitted:)``, in which `isAdmitted` is false.
  case shaped(SessionID)
  /// The limit (``InputLimit``) of a session, or of the programs at the local peer (nil), has dropped this number of messages.
  case refused(SessionID?, count: Int64)
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

/// Up to two outputs of a ``Receiver`` that are already determined, in order.
///
/// The outputs are elements of an array, because two separate properties of ``Receiver`` made modules that contain a receiver compile up to
/// three times as long. The compiler checks the ownership of each field of a noncopyable type, down to the payloads of enumerations. It
/// does not check the elements of an array.
struct OutputQueue: BitwiseCopyable {
  private var outputs = InlineArray<2, Receiver.Output?>(repeating: nil)

  /// Adds an output at the end. If two outputs are in the queue, the output replaces the last one.
  @_noLocks @_noAllocation
  mutating func append(_ output: Receiver.Output) {
    if case .none = outputs[0] { outputs[0] = output } else { outputs[1] = output }
  }

  /// Removes and returns the first output; nil if the queue is empty.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> Receiver.Output? {
    defer { (outputs[0], outputs[1]) = (outputs[1], nil) }
    return outputs[0]
  }
}

/// The origin of a message of the local player.
public enum MessageOrigin: Hashable, Sendable, BitwiseCopyable {
  /// The player.
  case player
  /// The instrument of the player. The message takes effect at this instant.
  case instrument(at: Instant)
  /// A phrase that is repeated.
  case phrase
  /// A page or a device of the local peer.
  case page
}

/// The reply of a ``Receiver`` to a clock request. The request is a clock probe or an AppleMIDI clock packet. The thread
/// that has received the request sends the reply at once.
public enum ClockReply: Sendable, BitwiseCopyable {
  /// The reply to the clock probe of a Tutti peer, or the acknowledgement of such a peer's reply.
  case probe(ClockProbe)
  /// CK1, the reply to an AppleMIDI CK0.
  case clockPacket(ClockPacket)

  /// Whether this is the acknowledgement of a reply to a probe of the local peer. The driver then wakes
  /// the control thread at once, because this thread estimates the clock of the peer from the reply.
  ///
  /// Real-time: safe.
  public var acknowledgesReply: Bool {
    @_noLocks @_noAllocation get {
      guard case .probe(let probe) = self, case .acknowledgement = probe.kind else { return false }
      return true
    }
  }
}

/// The data octets of a received System Exclusive message, without F0 and F7. A trivial value that fits into a ring.
public struct ReceivedSystemExclusive: Sendable, BitwiseCopyable {
  private var octets = InlineArray<1060, UInt8>(repeating: 0)
  private var count = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Copies the first 1060 octets of the System Exclusive message that `receiver` has just completed.
  @_noLocks @_noAllocation
  init(of receiver: borrowing PacketReceiver) {
    let length = min(receiver.systemExclusiveCount, octets.count)
    while count < length {
      octets[count] = receiver.systemExclusive(at: count)
      count += 1
    }
  }

  /// The octets as an array.
  ///
  /// Real-time: not safe.
  public var array: [UInt8] {
    octets.span.array(first: count)
  }
}

public import MIDI
public import MusicalTime
public import PeerProtocol
public import RTPMIDI

/// A command to the ``StreamSender``, which is the only writer of every RTP stream.
///
/// The commands of one stream have to be executed in the order in which they were created.
public enum StreamCommand: Sendable, BitwiseCopyable {
  /// Opens the stream of a new session. `to` is the data port of the remote peer. `from` is the local address from which the packets
  /// leave, nil if the host chooses it. `sequence` is the sequence number of the first packet. `takesClock` is false if the remote peer
  /// is a clock source of the local peer: a clock source does not get its own clock back. With `keys`, every packet has a tag, a keyed
  /// hash.
  case open(
    StreamID, to: SocketAddress, from: SocketAddress? = nil, ssrc: UInt32, sequence: UInt16, takesClock: Bool,
    keys: SessionKeys? = nil)
  /// Records that the receiver is a Tutti peer. From now on, the packets of the stream carry the send instant. The
  /// receiver gets every message to all Tutti peers. The receiver also gets the clock, even if `takesClock` was false. A
  /// Tutti peer is never a clock source: the local peer follows the rhythm of that peer, and does not use its MIDI clock.
  case recognise(StreamID)
  /// Sets whether the receiver is a time-stamp receiver.
  case setTimeStamped(StreamID, Bool)
  /// Sets the offset of the receiver: zero, or one of the offsets of the sender. It is set before the receiver gets a message of the clock.
  /// A Tutti peer has no offset.
  case setOffset(StreamID, Nanoseconds)
  /// Sets whether the packets of the stream carry a recovery journal.
  case setJournal(StreamID, Bool)
  /// Records that the receiver has received or repaired all packets up to `sequence`.
  case acknowledge(StreamID, sequence: UInt16)
  /// Closes the stream of a session that has ended.
  case close(StreamID)
  /// Sends a System Exclusive message on one stream, or, if `to` is nil, to all Tutti peers. If `isJournalled` is true,
  /// the recovery journal repairs the loss of the message. `isJournalled` is false for a message that a later message
  /// repeats, or that the receiver requests again.
  case exclusive(SystemExclusiveData, to: StreamID?, isJournalled: Bool)
  /// Sends a MIDI message.
  case message(StreamMessage)
}

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

/// The identifier of one RTP stream: the stream's slot in the table of a ``StreamSender``, and a generation.
///
/// The slot makes every lookup constant-time. The generation distinguishes the successive streams of one slot. A command
/// for a closed stream therefore never reaches the next stream in the slot.
public struct StreamID: Hashable, Sendable, BitwiseCopyable {
  /// The index in the sender's table.
  public let slot: Int
  /// The number of the stream in the order of allocation, counted from 1.
  let generation: UInt64

  /// Compares the identifiers. Real-time code needs this function, because the `==` that the compiler generates has no
  /// real-time annotation.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: StreamID, b: StreamID) -> Bool { a.slot == b.slot && a.generation == b.generation }

  @_noLocks @_noAllocation
  init(slot: Int, generation: UInt64) { (self.slot, self.generation) = (slot, generation) }
}

/// Assigns slots of the table of a ``StreamSender`` to RTP streams. The owner of the sessions allocates an identifier
/// before it opens a stream, and releases the identifier after it has closed the stream.
///
/// The allocator always returns the lowest free slot. A sender with n slots therefore serves n simultaneous streams.
///
/// Real-time: not safe.
public struct StreamIDAllocator: Sendable {
  /// Whether a slot is in use, by slot.
  private var isUsed: [Bool] = []
  /// The number of identifiers that were allocated.
  private var generation: UInt64 = 0

  public init() {}

  /// Returns a new identifier with the lowest free slot.
  public mutating func allocate() -> StreamID {
    generation += 1
    let slot = isUsed.firstIndex(of: false) ?? isUsed.count
    if slot == isUsed.count { isUsed.append(true) } else { isUsed[slot] = true }
    return StreamID(slot: slot, generation: generation)
  }

  /// Makes the slot of `stream` available again.
  public mutating func release(_ stream: StreamID) { isUsed[stream.slot] = false }
}

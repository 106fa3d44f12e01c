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

public import MusicalTime

/// What an ``Endpoint`` has to know about an RTP packet that a ``PacketReceiver`` has opened.
public struct PacketReport: Hashable, Sendable, BitwiseCopyable {
  /// The arrival of the packet by the local clock.
  public let arrival: Instant
  /// The time stamp of the packet: ``RTPHeader/timestamp``.
  public let timestamp: UInt32
  /// The highest sequence number of the stream so far.
  public let highestSequence: UInt16
  /// The number of packets of the stream that are missing so far.
  public let lost: Int64
  /// The number of commands in the packet; 0 for a guard packet.
  public let commandCount: Int
  /// The length of the recovery journal of the newest packet of the stream, in octets; nil if that packet has none.
  public let journalLength: Int?

  /// Creates the report of the packet that `receiver` has opened.
  ///
  /// Real-time: safe.
  // `inout`, because the compiler copies a borrowed receiver (1160 octets) if it is an element of a container.
  @_noLocks @_noAllocation
  public init(of header: RTPHeader, in receiver: inout PacketReceiver, arrivedAt arrival: Instant) {
    (self.arrival, timestamp) = (arrival, header.timestamp)
    if let sequence = receiver.highestSequence { highestSequence = sequence } else { highestSequence = header.sequence }
    (lost, commandCount, journalLength) = (receiver.lost, receiver.commandCount, receiver.journalLength)
  }
}

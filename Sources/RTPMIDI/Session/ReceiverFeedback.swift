import BasicContainers

/// An RS packet, by which a receiver says how far a stream has come, so that its sender can shorten the journal:
///
///     FF FF | RS | ssrc 32 | sequence 16 | 0 16
///
/// Some peers put the sequence number into the lower half of the last word: when the upper is 0 the lower is taken.
public struct ReceiverFeedback: Hashable, Sendable, BitwiseCopyable {
  /// The sender's of this packet, not of the stream.
  public var ssrc: UInt32
  /// The highest sequence number received.
  public var sequence: UInt16

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, sequence: UInt16) { (self.ssrc, self.sequence) = (ssrc, sequence) }

  /// Octets of the packet.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 12 } }

  /// Reads a datagram; nil when it is not a whole RS packet.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    guard packet.uint32(at: 0) == 0xFFFF_5253 else { return nil }
    ssrc = packet.uint32(at: 4)
    let upper = packet.uint16(at: 8)
    sequence = upper != 0 ? upper : packet.uint16(at: 10)
  }

  /// Appends the packet. Returns false, with nothing appended, when there is no room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: UInt32(0xFFFF_5253))
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: sequence)
    packet.append(bigEndian: UInt16(0))
    return true
  }
}

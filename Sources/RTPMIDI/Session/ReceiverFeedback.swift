import BasicContainers

/// An RS packet: a receiver acknowledges a stream, so that the sender can shorten the journal. [n] stands for n bits.
///
///     FF FF | RS | ssrc[32] | sequence[16] | zero[16]
///
/// Some implementations put the sequence number into the lower half of the last word. If the upper half is 0, the lower
/// half is used.
public struct ReceiverFeedback: Hashable, Sendable, BitwiseCopyable {
  /// The SSRC of the sender of this packet, not of the acknowledged stream.
  public var ssrc: UInt32
  /// The highest received sequence number.
  public var sequence: UInt16

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, sequence: UInt16) { (self.ssrc, self.sequence) = (ssrc, sequence) }

  /// The length of the packet in octets.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 12 } }

  /// The first four octets: FF FF and the letters RS.
  private static var marker: UInt32 { @_noLocks @_noAllocation get { 0xFFFF_5253 } }

  /// Reads a datagram. Returns nil if it is not a complete RS packet.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    guard packet.uint32(at: 0) == Self.marker else { return nil }
    ssrc = packet.uint32(at: 4)
    let upper = packet.uint16(at: 8)
    sequence = upper != 0 ? upper : packet.uint16(at: 10)
  }

  /// Appends the packet. Returns false and appends nothing if there is not enough room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: Self.marker)
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: sequence)
    packet.append(bigEndian: UInt16(0))
    return true
  }
}

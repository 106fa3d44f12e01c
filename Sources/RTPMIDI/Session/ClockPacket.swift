import BasicContainers
import MusicalTime

/// A CK packet, one of three that compare the clocks of the two peers of a session, in units of 100 us. [n] stands
/// for n bits.
///
///     FF FF | CK | ssrc[32] | count[8] | zero[24] | stamp1[64] | stamp2[64] | stamp3[64]
///
/// Stamp 1 is the instant at which the initiator sent CK0, by the initiator's clock. Stamp 2 is the instant at which
/// the answerer sent its reply, CK1, by the answerer's clock. Stamp 3 is the instant at which the initiator sent CK2,
/// its reply to CK1, by the initiator's clock.
public struct ClockPacket: Hashable, Sendable, BitwiseCopyable {
  /// The SSRC of the sender.
  public var ssrc: UInt32
  /// 0, 1 or 2: CK0, CK1 or CK2.
  public let count: UInt8
  /// The initiator's clock in units of 100 us.
  public var stamp1: UInt64
  /// The answerer's clock in units of 100 us; 0 in a CK0.
  public var stamp2: UInt64
  /// The initiator's clock in units of 100 us; 0 in a CK0 and a CK1.
  public var stamp3: UInt64

  /// The length of the packet in octets.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 36 } }

  /// The first four octets: FF FF and the letters CK.
  private static var marker: UInt32 { @_noLocks @_noAllocation get { 0xFFFF_434B } }

  /// Creates a CK0 sent at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, sentAt instant: Instant) {
    self.init(ssrc: ssrc, count: 0, stamp1: Self.stamp(of: instant), stamp2: 0, stamp3: 0)
  }

  @_noLocks @_noAllocation
  private init(ssrc: UInt32, count: UInt8, stamp1: UInt64, stamp2: UInt64, stamp3: UInt64) {
    (self.ssrc, self.count, self.stamp1, self.stamp2, self.stamp3) = (ssrc, count, stamp1, stamp2, stamp3)
  }

  /// Reads a datagram. Returns nil if it is not a complete CK packet of count 0, 1 or 2.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    let count = packet[8]
    guard packet.uint32(at: 0) == Self.marker, count <= 2 else { return nil }
    self.init(
      ssrc: packet.uint32(at: 4), count: count, stamp1: packet.uint64(at: 12), stamp2: packet.uint64(at: 20),
      stamp3: packet.uint64(at: 28))
  }

  /// Returns the reply: CK1 to CK0, CK2 to CK1, nil to CK2.
  ///
  /// - Parameters:
  ///   - ssrc: the SSRC of the replying peer.
  ///   - instant: the instant at which the reply leaves.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func reply(from ssrc: UInt32, sentAt instant: Instant) -> ClockPacket? {
    let stamp = Self.stamp(of: instant)
    switch count {
    case 0: return ClockPacket(ssrc: ssrc, count: 1, stamp1: stamp1, stamp2: stamp, stamp3: 0)
    case 1: return ClockPacket(ssrc: ssrc, count: 2, stamp1: stamp1, stamp2: stamp2, stamp3: stamp)
    default: return nil
    }
  }

  /// Appends the packet. Returns false and appends nothing if there is not enough room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: Self.marker)
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: UInt32(count) << 24)
    packet.append(bigEndian: stamp1)
    packet.append(bigEndian: stamp2)
    packet.append(bigEndian: stamp3)
    return true
  }

  /// The stamp of `instant`: whole units of 100 us.
  @_noLocks @_noAllocation
  static func stamp(of instant: Instant) -> UInt64 { UInt64(bitPattern: instant.hundredMicroseconds) }

  /// The resolution of a stamp.
  static var resolution: Nanoseconds { .microseconds(100) }

  /// The best estimate of the instant of sending by the sender's clock: the middle of the unit that the stamp counts.
  /// Wraps outside the range of Int64.
  ///
  /// Real-time: not safe.
  public var sent: Instant {
    let stamp = count == 0 ? stamp1 : count == 1 ? stamp2 : stamp3
    return Instant(hundredMicroseconds: Int64(bitPattern: stamp)) + .microseconds(50)
  }
}

import BasicContainers
import MusicalTime

/// A CK packet, one of the three that compare the clocks of a session's two peers, in units of 100 us:
///
///     FF FF | CK | ssrc 32 | count 8 | 0 0 0 | stamp 1, 64 bits | stamp 2 | stamp 3
///
/// CK0, from the initiator: stamp 1 is when it was sent. CK1, the answer: stamp 2 is when it was sent, by the
/// answerer's clock. CK2, the answer to that: stamp 3 is when it was sent, by the initiator's.
public struct ClockPacket: Hashable, Sendable, BitwiseCopyable {
  /// The sender's.
  public var ssrc: UInt32
  /// 0, 1 or 2.
  public let count: UInt8
  /// In units of 100 us of the initiator's clock.
  public var stamp1: UInt64
  /// In units of 100 us of the answerer's clock; 0 in a CK0.
  public var stamp2: UInt64
  /// In units of 100 us of the initiator's clock; 0 in a CK0 and a CK1.
  public var stamp3: UInt64

  /// Octets of the packet.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 36 } }

  /// A CK0 sent at `instant`.
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

  /// Reads a datagram; nil when it is not a whole CK packet of count 0, 1 or 2.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing RigidArray<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    let count = packet[8]
    guard packet.uint32(at: 0) == 0xFFFF_434B, count <= 2 else { return nil }
    self.init(
      ssrc: packet.uint32(at: 4), count: count, stamp1: packet.uint64(at: 12), stamp2: packet.uint64(at: 20),
      stamp3: packet.uint64(at: 28))
  }

  /// The same of a datagram that lies elsewhere.
  ///
  /// Real-time: not safe.
  public init?(_ packet: borrowing Span<UInt8>) { self.init(packet.firstOctets(Self.length)) }

  /// The answer that is due at once: CK1 to CK0, CK2 to CK1, none to CK2.
  ///
  /// - Parameters:
  ///   - ssrc: the answering peer's own.
  ///   - instant: when the answer leaves.
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

  /// Appends the packet. Returns false, with nothing appended, when there is no room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: UInt32(0xFFFF_434B))
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: UInt32(count) << 24)
    packet.append(bigEndian: stamp1)
    packet.append(bigEndian: stamp2)
    packet.append(bigEndian: stamp3)
    return true
  }

  /// The stamp of `instant`: its whole units of 100 us.
  @_noLocks @_noAllocation
  static func stamp(of instant: Instant) -> UInt64 { UInt64(bitPattern: instant.hundredMicroseconds) }

  /// The step of a stamp.
  static var resolution: Nanoseconds { .microseconds(100) }

  /// When it was sent, by its sender's clock, as far as is known: in the middle of the unit that its stamp counts. Wraps
  /// where that lies beyond Int64.
  var sent: Instant {
    let stamp = count == 0 ? stamp1 : count == 1 ? stamp2 : stamp3
    return Instant(hundredMicroseconds: Int64(bitPattern: stamp)) + .microseconds(50)
  }
}

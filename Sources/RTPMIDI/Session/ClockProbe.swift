import BasicContainers
import MusicalTime

/// Tutti's own clock packet, by which Tutti peers also know each other. Like a CK in purpose, with nanoseconds instead
/// of units of 100 us: at a tempo such as 125 BPM these are a constant error that no averaging removes.
///
///     FF FF | TU | version 1, 8 bits | kind 8 | 0 0 | ssrc 32 | identity 64 | t1 64 | t2 64 | t3 64
///
/// It travels on the data port, outside the RTP stream, so that the thread that receives it can answer it at once.
/// Request (kind 0): t1 is when it was sent; t2 and t3 are 0. Reply (kind 1): t1 comes back, t2 is when the request
/// arrived and t3 when the reply was sent, both by the replier's clock. Signed nanoseconds, big-endian. ssrc and
/// identity are the sender's.
public struct ClockProbe: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case request, reply }

  public let kind: Kind
  public var ssrc: UInt32
  /// The sender's lasting identity.
  public var identity: UInt64
  public var t1: Instant
  public var t2: Instant
  public var t3: Instant

  /// Octets of the packet.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 44 } }

  /// A request sent at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, identity: UInt64, sentAt instant: Instant) {
    let zero = Instant(nanoseconds: 0)
    self.init(kind: .request, ssrc: ssrc, identity: identity, t1: instant, t2: zero, t3: zero)
  }

  @_noLocks @_noAllocation
  private init(kind: Kind, ssrc: UInt32, identity: UInt64, t1: Instant, t2: Instant, t3: Instant) {
    (self.kind, self.ssrc, self.identity) = (kind, ssrc, identity)
    (self.t1, self.t2, self.t3) = (t1, t2, t3)
  }

  /// Reads a datagram; nil when it is not a whole probe of version 1.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing RigidArray<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    guard packet.uint32(at: 0) == 0xFFFF_5455 else { return nil }
    let kind: Kind
    switch packet.uint16(at: 4) {
    case 0x0100: kind = .request
    case 0x0101: kind = .reply
    default: return nil
    }
    self.init(
      kind: kind, ssrc: packet.uint32(at: 8), identity: packet.uint64(at: 12),
      t1: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 20))),
      t2: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 28))),
      t3: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 36))))
  }

  /// The same of a datagram that lies elsewhere.
  ///
  /// Real-time: not safe.
  public init?(_ packet: borrowing Span<UInt8>) { self.init(packet.firstOctets(Self.length)) }

  /// The reply to a request; nil for a reply.
  ///
  /// - Parameters:
  ///   - ssrc: the replying peer's own.
  ///   - identity: the replying peer's own.
  ///   - received: when the request arrived.
  ///   - sent: when the reply leaves: read the clock last.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func reply(
    from ssrc: UInt32, identity: UInt64, receivedAt received: Instant, sentAt sent: Instant
  ) -> ClockProbe? {
    guard case .request = kind else { return nil }
    return ClockProbe(kind: .reply, ssrc: ssrc, identity: identity, t1: t1, t2: received, t3: sent)
  }

  /// Appends the packet. Returns false, with nothing appended, when there is no room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: UInt32(0xFFFF_5455))
    switch kind {
    case .request: packet.append(bigEndian: UInt32(0x0100_0000))
    case .reply: packet.append(bigEndian: UInt32(0x0101_0000))
    }
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: identity)
    packet.append(bigEndian: UInt64(bitPattern: t1.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: t2.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: t3.nanoseconds))
    return true
  }
}

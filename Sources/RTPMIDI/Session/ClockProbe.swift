import BasicContainers
import MusicalTime

/// Tutti's own clock packet, by which Tutti peers also know each other. Like a CK in purpose, with nanoseconds instead
/// of units of 100 us: at a tempo such as 125 BPM these are a constant error that no averaging removes.
///
///     FF FF | TU | version 2, 8 bits | kind 8 | pace 16 | ssrc 32 | identity 64
///     origin 64 | receive 64 | transmit 64
///
/// It travels on the data port, outside the RTP stream, so that the thread that receives it can answer it at once. The
/// three stamps are NTP's (RFC 5905, section 7.3), in signed nanoseconds, big-endian; ssrc and identity are the
/// sender's. As with CK0, CK1 and CK2, a request is replied to and the reply acknowledged, each at once;
/// <doc:ClockPackets> says what the stamps are in each.
public struct ClockProbe: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case request, reply, acknowledgement }

  public let kind: Kind
  /// How many requests a second the sender takes from the other, at most; 0 says nothing.
  public var pace: UInt16
  public var ssrc: UInt32
  /// The sender's lasting identity.
  public var identity: UInt64
  /// The transmit stamp of the packet that is spoken of, by its sender's clock: in a reply the request, in an
  /// acknowledgement the reply, in a request the newest acknowledgement that the requester has had. 0 while there was none.
  public var origin: Instant
  /// When that packet arrived at the sender of this one, by the latter's clock; 0 while there was none.
  public var receive: Instant
  /// When this packet left, by its sender's clock.
  public var transmit: Instant

  /// Octets of the packet.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 44 } }

  /// Where ``transmit`` stands in the packet: its sender reads the clock last, and writes it there.
  ///
  /// Real-time: safe.
  public static var transmitOffset: Int { @_noLocks @_noAllocation get { 36 } }

  /// A request sent at `instant`.
  ///
  /// - Parameters:
  ///   - origin: the transmit stamp of the newest acknowledgement, 0 for none.
  ///   - receive: when that arrived, 0 for none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    ssrc: UInt32, identity: UInt64, pace: UInt16 = 0, origin: Instant = Instant(nanoseconds: 0),
    receive: Instant = Instant(nanoseconds: 0), sentAt instant: Instant
  ) {
    self.init(
      kind: .request, pace: pace, ssrc: ssrc, identity: identity, origin: origin, receive: receive, transmit: instant)
  }

  @_noLocks @_noAllocation
  private init(
    kind: Kind, pace: UInt16, ssrc: UInt32, identity: UInt64, origin: Instant, receive: Instant, transmit: Instant
  ) {
    (self.kind, self.pace, self.ssrc, self.identity) = (kind, pace, ssrc, identity)
    (self.origin, self.receive, self.transmit) = (origin, receive, transmit)
  }

  /// Reads a datagram; nil when it is not a whole probe of version 2.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing RigidArray<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    guard packet.uint32(at: 0) == 0xFFFF_5455 else { return nil }
    let kind: Kind
    switch packet.uint16(at: 4) {
    case 0x0200: kind = .request
    case 0x0201: kind = .reply
    case 0x0202: kind = .acknowledgement
    default: return nil
    }
    self.init(
      kind: kind, pace: packet.uint16(at: 6), ssrc: packet.uint32(at: 8), identity: packet.uint64(at: 12),
      origin: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 20))),
      receive: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 28))),
      transmit: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: Self.transmitOffset))))
  }

  /// The same of a datagram that lies elsewhere.
  ///
  /// Real-time: not safe.
  public init?(_ packet: borrowing Span<UInt8>) { self.init(packet.firstOctets(Self.length)) }

  /// The answer: to a request the reply, to that the acknowledgement, to which there is none.
  ///
  /// - Parameters:
  ///   - ssrc: the answering peer's own.
  ///   - identity: the answering peer's own.
  ///   - pace: how many requests a second the answering peer takes from the other; 0 says nothing.
  ///   - received: when this packet arrived.
  ///   - sent: when the answer leaves.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func answer(
    from ssrc: UInt32, identity: UInt64, pace: UInt16 = 0, receivedAt received: Instant, sentAt sent: Instant
  ) -> ClockProbe? {
    let answer: Kind
    switch kind {
    case .request: answer = .reply
    case .reply: answer = .acknowledgement
    case .acknowledgement: return nil
    }
    return ClockProbe(
      kind: answer, pace: pace, ssrc: ssrc, identity: identity, origin: transmit, receive: received, transmit: sent)
  }

  /// Appends the packet. Returns false, with nothing appended, when there is no room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: UInt32(0xFFFF_5455))
    switch kind {
    case .request: packet.append(bigEndian: UInt16(0x0200))
    case .reply: packet.append(bigEndian: UInt16(0x0201))
    case .acknowledgement: packet.append(bigEndian: UInt16(0x0202))
    }
    packet.append(bigEndian: pace)
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: identity)
    packet.append(bigEndian: UInt64(bitPattern: origin.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: receive.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: transmit.nanoseconds))
    return true
  }
}

public import BasicContainers
public import MusicalTime
import RTPMIDI

/// The clock packet of the peer protocol. By clock probes, Tutti peers recognise each other and compare their clocks.
///
/// A probe has the purpose of a CK packet, but its stamps count nanoseconds. CK stamps count units of 100 us. At some
/// tempos, for example 125 BPM, rounding to these units gives a constant error, which averaging does not remove.
///
///     FF FF | TU | version 3, 8 bits | kind 8 | rate limit 16 | ssrc 32 | identity 64
///     origin 64 | receive 64 | transmit 64
///
/// TU are the letters 54 55. The lengths of the fields are in bits. Probes use the data port, but not the RTP stream, so
/// that the thread that receives a probe can reply at once. The three stamps are those of NTP (RFC 5905, section 7.3),
/// in signed nanoseconds, big-endian. SSRC and identity are those of the sender. As with CK0, CK1 and CK2, a request gets
/// a reply and the reply gets an acknowledgement, each at once. <doc:WireFormat> defines the stamps of each kind.
public struct ClockProbe: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case request, reply, acknowledgement }

  public let kind: Kind
  /// The maximum number of requests per second that the sender accepts from the receiver; 0 if unspecified.
  public var rateLimit: UInt16
  /// The SSRC of the sender.
  public var ssrc: UInt32
  /// The lasting identity of the sender.
  public var identity: UInt64
  /// The transmit stamp of the packet to which this packet refers, by the clock of the receiver of this packet. A reply
  /// refers to the request, an acknowledgement to the reply, and a request to the newest received acknowledgement. 0 if
  /// there is no such packet.
  public var origin: Instant
  /// The arrival of the packet to which this packet refers, by the clock of the sender of this packet. 0 if there is no
  /// such packet.
  public var receive: Instant
  /// The instant at which this packet left, by the clock of its sender.
  public var transmit: Instant

  /// The version of the protocol between Tutti peers, in probes and in System Exclusive messages. Peers of different versions treat each
  /// other as standard devices. In all versions, the first twelve octets of a probe have the same meaning.
  ///
  /// Real-time: safe.
  public static var version: UInt8 { @_noLocks @_noAllocation get { 3 } }

  /// The version of the probe in `packet`, if it is a probe of another version than ``version``; otherwise nil.
  ///
  /// Real-time: not safe.
  static func otherVersion(of packet: Span<UInt8>) -> UInt8? {
    guard packet.count >= 12, packet.uint32(at: 0) == marker, packet[4] != version else { return nil }
    return packet[4]
  }

  /// The length of the packet in octets.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 44 } }

  /// The offset of ``transmit`` in the packet. The sender reads the clock last and writes the stamp there.
  ///
  /// Real-time: safe.
  public static var transmitOffset: Int { @_noLocks @_noAllocation get { 36 } }

  /// The first four octets: FF FF and the letters TU.
  static var marker: UInt32 { @_noLocks @_noAllocation get { 0xFFFF_5455 } }

  /// Creates a request sent at `instant`.
  ///
  /// - Parameters:
  ///   - origin: the transmit stamp of the newest received acknowledgement; 0 without one.
  ///   - receive: the arrival of that acknowledgement; 0 without one.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    ssrc: UInt32, identity: UInt64, rateLimit: UInt16 = 0, origin: Instant = Instant(nanoseconds: 0),
    receive: Instant = Instant(nanoseconds: 0), sentAt instant: Instant
  ) {
    self.init(
      kind: .request, rateLimit: rateLimit, ssrc: ssrc, identity: identity, origin: origin, receive: receive,
      transmit: instant)
  }

  @_noLocks @_noAllocation
  private init(
    kind: Kind, rateLimit: UInt16, ssrc: UInt32, identity: UInt64, origin: Instant, receive: Instant, transmit: Instant
  ) {
    (self.kind, self.rateLimit, self.ssrc, self.identity) = (kind, rateLimit, ssrc, identity)
    (self.origin, self.receive, self.transmit) = (origin, receive, transmit)
  }

  /// Reads a datagram. Returns nil if it is not a complete probe of ``version``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.length else { return nil }
    guard packet.uint32(at: 0) == Self.marker, let kind = Kind(versionAndKind: packet.uint16(at: 4)) else { return nil }
    self.init(
      kind: kind, rateLimit: packet.uint16(at: 6), ssrc: packet.uint32(at: 8), identity: packet.uint64(at: 12),
      origin: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 20))),
      receive: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: 28))),
      transmit: Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: Self.transmitOffset))))
  }

  /// Returns the answer: a reply to a request, an acknowledgement to a reply, nil to an acknowledgement.
  ///
  /// - Parameters:
  ///   - ssrc: the SSRC of the answering peer.
  ///   - identity: the identity of the answering peer.
  ///   - rateLimit: the maximum number of requests per second that the answering peer accepts; 0 if unspecified.
  ///   - received: the arrival of this packet.
  ///   - sent: the instant at which the answer leaves.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func answer(
    from ssrc: UInt32, identity: UInt64, rateLimit: UInt16 = 0, receivedAt received: Instant, sentAt sent: Instant
  ) -> ClockProbe? {
    let answer: Kind
    switch kind {
    case .request: answer = .reply
    case .reply: answer = .acknowledgement
    case .acknowledgement: return nil
    }
    return ClockProbe(
      kind: answer, rateLimit: rateLimit, ssrc: ssrc, identity: identity, origin: transmit, receive: received,
      transmit: sent)
  }

  /// Appends the packet. Returns false and appends nothing if there is not enough room.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(bigEndian: Self.marker)
    packet.append(bigEndian: kind.versionAndKind)
    packet.append(bigEndian: rateLimit)
    packet.append(bigEndian: ssrc)
    packet.append(bigEndian: identity)
    packet.append(bigEndian: UInt64(bitPattern: origin.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: receive.nanoseconds))
    packet.append(bigEndian: UInt64(bitPattern: transmit.nanoseconds))
    return true
  }
}

extension ClockProbe.Kind {
  /// Reads ``versionAndKind``. Returns nil for another version or kind.
  @_noLocks @_noAllocation
  fileprivate init?(versionAndKind: UInt16) {
    guard versionAndKind >> 8 == UInt16(ClockProbe.version) else { return nil }
    switch versionAndKind & 0xFF {
    case 0: self = .request
    case 1: self = .reply
    case 2: self = .acknowledgement
    default: return nil
    }
  }

  /// The octets 4 and 5 of a probe: the version and the kind.
  fileprivate var versionAndKind: UInt16 {
    @_noLocks @_noAllocation get {
      let kind: UInt16
      switch self {
      case .request: kind = 0
      case .reply: kind = 1
      case .acknowledgement: kind = 2
      }
      return UInt16(ClockProbe.version) << 8 | kind
    }
  }
}

extension ClockProbe {
  /// Whether the stamps ``origin`` and ``receive`` of a probe that arrives at `instant` are plausible.
  ///
  /// Both stamps refer to a packet of the local peer. The round trip is the time from the departure of that packet to
  /// the arrival of this probe, by the local clock. The round trip must be at most ten seconds. The time for which the
  /// remote peer kept the packet must be neither negative nor longer than the round trip. An error of one millisecond
  /// is tolerated, because two processors of one machine may read slightly different times from the same clock.
  func isPlausible(at instant: Instant) -> Bool {
    let roundTrip = instant - origin
    // The time for which the remote peer kept the packet, by the remote clock.
    let kept = transmit - receive
    guard roundTrip >= .zero, roundTrip <= .seconds(10) else { return false }
    return kept >= .milliseconds(-1) && kept <= roundTrip + .milliseconds(1)
  }
}

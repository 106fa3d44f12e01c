public import MusicalTime
public import RTPMIDI

/// The extension of RTP-MIDI by which Tutti peers recognise each other, measure each other's clocks, and prove to each other that
/// they know the passkey of their group.
///
/// The wire format is in <doc:WireFormat>. Real-time threads reply to probes and write send instants by ``ClockProbe``
/// and ``RTPMIDI/PacketSender/sendsInstants``; they do not use this class.
///
/// Real-time: not safe.
public final class PeerExtension: ProtocolExtension {
  /// The identity of the local peer.
  public let identity: UInt64
  /// The number of rejected stamps of recognised peers. Only the stamp is rejected; the rest of the packet takes
  /// effect. A stamp is rejected
  ///
  /// - if it is the transmit stamp of a probe or the send instant of an RTP packet, and the remote clock stands still or runs
  ///   backwards (``SendInstantFilter``),
  /// - if it is the send instant of an RTP packet, and deviates by a minute or more from the previous reading of the
  ///   remote clock,
  /// - if it is an implausible stamp ``ClockProbe/origin`` or ``ClockProbe/receive``.
  public internal(set) var rejectedStamps: UInt64 = 0
  /// The number of wrong proofs in handshakes. A wrong proof is forged, or comes from a peer with another passkey.
  public internal(set) var rejectedProofs: UInt64 = 0
  /// The key of the group; nil without a passkey.
  let key: GroupKey?

  public init(identity: UInt64, key: GroupKey? = nil) { (self.identity, self.key) = (identity, key) }

  /// The number in the invitations of the local peer: the letters TPK and the version of the handshake; nil without a passkey. Peers with
  /// different marks refuse each other.
  public var mark: UInt32? { key == nil ? nil : 0x5450_4B01 }

  /// Whether a number begins with the letters TPK. The version of the handshake can differ.
  public func isMark(_ number: UInt32) -> Bool { number >> 8 == 0x54_504B }

  /// The number in the invitations of a peer without a passkey: the letters TU, the version of the protocol between Tutti peers, and 0. A
  /// device that reads the number as part of the name finds a NUL at the end.
  public var announcement: UInt32? { key == nil ? 0x5455_0000 | UInt32(ClockProbe.version) << 8 : nil }

  /// Whether a number has the letters TU and the 0. The version can differ: the probes of both peers report it.
  public func isAnnouncement(_ number: UInt32) -> Bool { number & 0xFFFF_00FF == 0x5455_0000 }

  /// The rate limit in all probes of the local peer, see ``ClockProbe/rateLimit``.
  ///
  /// - Parameter establishedCount: the number of established sessions.
  public func rateLimit(establishedCount: Int) -> UInt16 {
    ProbeRate.limit(sessions: establishedCount)
  }

  public func ssrc(ofControlPacket packet: Span<UInt8>) throws(PacketError) -> UInt32? {
    if packet.uint32(at: 0) == HandshakePacket.marker {
      guard let handshake = HandshakePacket(packet) else { throw .malformedControl }
      return handshake.ssrc
    }
    guard packet.uint32(at: 0) == ClockProbe.marker else { return nil }
    if ClockProbe.otherVersion(of: packet) != nil { return packet.uint32(at: 8) }
    guard packet.count >= ClockProbe.length else { throw .truncated }
    guard let probe = ClockProbe(packet) else { throw .malformedControl }
    return probe.ssrc
  }

  public func makeSession(seed: UInt64) -> any SessionExtension { PeerSession(seed: seed, owner: self) }
}

extension Endpoint {
  /// Creates an endpoint with ``PeerExtension``.
  ///
  /// - Parameters:
  ///   - name: the name of the local peer.
  ///   - identity: the identity of the local peer.
  ///   - key: the key of the group; nil without a passkey.
  ///   - random: the source of the SSRCs, the tokens and the nonces. Unpredictable outside tests.
  ///
  /// Real-time: not safe.
  public convenience init(
    name: String, identity: UInt64, key: GroupKey? = nil, random: any RandomNumberGenerator
  ) {
    self.init(name: name, random: random, protocolExtension: PeerExtension(identity: identity, key: key))
  }

  /// The keys of an established session with a passkey; nil without one.
  ///
  /// Real-time: not safe.
  public func keys(of id: SessionID) -> SessionKeys? { (sessionExtension(of: id) as? PeerSession)?.keys }

  /// The ``PeerExtension`` of this endpoint; nil if it has none.
  ///
  /// Real-time: not safe.
  public var peerExtension: PeerExtension? { protocolExtension as? PeerExtension }

  /// The rate limit in all probes of the local peer; 0 without ``PeerExtension``.
  ///
  /// Real-time: not safe.
  public var probeRateLimit: UInt16 { peerExtension?.rateLimit(establishedCount: establishedCount) ?? 0 }

  /// Receives the send instant of an RTP packet that another thread has decoded. Call this function after
  /// ``received(_:on:)`` for the same packet.
  ///
  /// - Parameters:
  ///   - sent: the send instant, by the remote clock.
  ///   - arrival: the arrival of the packet.
  ///
  /// Real-time: not safe.
  public func received(sendInstant sent: Instant, at arrival: Instant, on id: SessionID) {
    withExtension(of: id, at: arrival) { session, context in
      (session as? PeerSession)?.receive(sendInstant: sent, at: arrival, in: context)
    }
  }

  /// Whether the peer has stopped replying to clock probes: since its last reply, three or more probes were sent, the first of them at
  /// least half a second ago. Packets of the peer may still arrive. Example: a host has two network interfaces and loses one of them.
  /// The host still sends from the address of the lost interface, through the other interface, but receives nothing at this address.
  ///
  /// Real-time: not safe.
  public func isUnanswered(_ id: SessionID, at now: Instant) -> Bool {
    (sessionExtension(of: id) as? PeerSession)?.isUnanswered(at: now) ?? false
  }

  /// Sends the probe that ``RTPMIDI/Endpoint/Output/extensionPacket(_:to:)`` requests. Does nothing if the session has
  /// ended.
  ///
  /// - Parameter send: sends the packet. It completes the packet, reads the clock, writes the time as ``ClockProbe/transmit``, and then
  ///   writes the tag with the sealer, if there is one. It returns the time; nil if the packet was not sent.
  ///
  /// Real-time: not safe.
  public func sendProbe(on id: SessionID, by send: (ClockProbe, inout DatagramSealer?) -> Instant?) {
    guard let session = sessionExtension(of: id) as? PeerSession, let ssrc = localSSRC(of: id) else { return }
    session.sendRequest(ssrc: ssrc, rateLimit: probeRateLimit, by: send)
  }
}

/// The limits of the probe rate. All sessions of a peer together send and accept at most 1000 requests per second.
enum ProbeRate {
  /// The maximum number of requests per second of all sessions together.
  private static let total: Int64 = 1000

  /// Returns the shortest interval between the requests of one session if there are `sessions` sessions.
  static func shortestInterval(sessions: Int) -> Nanoseconds { Nanoseconds(1_000_000_000 / total * Int64(sessions)) }

  /// Returns the maximum number of requests per second from each peer, 1...50, if there are `sessions` sessions. A peer never sends more
  /// than 50 per second (``Recognition``).
  static func limit(sessions: Int) -> UInt16 { UInt16(max(1, min(50, Int(total) / max(1, sessions)))) }
}

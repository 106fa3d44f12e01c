public import MusicalTime
public import RTPMIDI

/// The extension of RTP-MIDI by which Tutti peers recognise each other and measure each other's clocks.
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
  /// - if it is a send instant of a clock that stands still or runs backwards (``SendInstantFilter``),
  /// - if it is the send instant of an RTP packet, and deviates by a minute or more from the previous reading of the
  ///   remote clock,
  /// - if it is an implausible stamp ``ClockProbe/origin`` or ``ClockProbe/receive``.
  public internal(set) var rejectedStamps: UInt64 = 0

  public init(identity: UInt64) { self.identity = identity }

  /// The rate limit in all probes of the local peer, see ``ClockProbe/rateLimit``.
  ///
  /// - Parameter establishedCount: the number of established sessions.
  public func rateLimit(establishedCount: Int) -> UInt16 {
    ProbeRate.limit(sessions: establishedCount)
  }

  public func ssrc(ofControlPacket packet: Span<UInt8>) throws(PacketError) -> UInt32? {
    guard packet.uint32(at: 0) == ClockProbe.marker else { return nil }
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
  ///   - random: the source of the SSRCs and the tokens. Unpredictable outside tests.
  public convenience init(name: String, identity: UInt64, random: any RandomNumberGenerator) {
    self.init(name: name, random: random, protocolExtension: PeerExtension(identity: identity))
  }

  /// The ``PeerExtension`` of this endpoint; nil if it has none.
  public var peerExtension: PeerExtension? { protocolExtension as? PeerExtension }

  /// The rate limit in all probes of the local peer; 0 without ``PeerExtension``.
  public var probeRateLimit: UInt16 { peerExtension?.rateLimit(establishedCount: establishedCount) ?? 0 }

  /// An RTP packet of a session with a send instant was decoded by another thread. Called after ``received(_:on:)``.
  ///
  /// - Parameters:
  ///   - sent: the send instant, by the remote clock.
  ///   - arrival: the arrival of the packet.
  public func received(sendInstant sent: Instant, at arrival: Instant, on id: SessionID) {
    withExtension(of: id, at: arrival) { session, context in
      (session as? PeerSession)?.receive(sendInstant: sent, at: arrival, in: context)
    }
  }

  /// Sends the probe that ``RTPMIDI/Endpoint/Output/extensionPacket(_:to:)`` requests. Does nothing if the session has
  /// ended.
  ///
  /// - Parameter send: sends the packet with the current time as ``ClockProbe/transmit``, read last, and returns this
  ///   instant; nil if the packet was not sent.
  public func sendProbe(on id: SessionID, by send: (ClockProbe) -> Instant?) {
    guard let session = sessionExtension(of: id) as? PeerSession, let ssrc = localSSRC(of: id) else { return }
    session.sendRequest(ssrc: ssrc, rateLimit: probeRateLimit, by: send)
  }
}

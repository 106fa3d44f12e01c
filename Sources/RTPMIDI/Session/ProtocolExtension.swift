import MusicalTime

/// A protocol that adds packets of its own to RTP-MIDI sessions.
///
/// An ``Endpoint`` without an extension is a complete standard RTP-MIDI endpoint. An endpoint with an extension creates
/// one ``SessionExtension`` for each established session. The extension can then
///
/// - exchange control packets of its own: FF FF and two letters that AppleMIDI does not use,
/// - evaluate the header extension of received RTP packets (RFC 3550, section 5.3.1),
/// - measure the remote clock in place of CK packets,
/// - set the limits by which the endpoint detects a silent peer.
///
/// The sending half of a header extension is ``PacketSender/headerExtension``.
///
/// The extension of an endpoint belongs to the thread of the endpoint. A real-time thread that decodes packets does not
/// call the extension. It uses ``RTPHeader/decode(_:)`` and ``HeaderExtension/data``, which are real-time safe.
public protocol ProtocolExtension: AnyObject {
  /// Reads the sender's SSRC from a control packet that AppleMIDI does not define.
  ///
  /// - Parameter packet: a datagram of at least four octets that begins with FF FF.
  /// - Returns: nil if the extension does not define this command either.
  /// - Throws: ``PacketError`` if the packet is truncated or malformed.
  func ssrc(ofControlPacket packet: Span<UInt8>) throws(PacketError) -> UInt32?

  /// Creates the extension of a session that is being established.
  ///
  /// - Parameter seed: a number that differs between sessions and between peers.
  func makeSession(seed: UInt64) -> any SessionExtension
}

/// The state of a ``ProtocolExtension`` in one established session.
///
/// The endpoint reads the properties after each call of a function and after each datagram of the session.
public protocol SessionExtension: AnyObject {
  /// The instant at which ``advance(to:in:)`` is called next; nil if nothing is due.
  var deadline: Instant? { get }
  /// The rules by which the endpoint supervises the peer.
  var supervision: Supervision { get }
  /// Whether the extension measures the remote clock. If it does, CK packets do not result in
  /// ``Endpoint/Output/clock(_:_:)``.
  var measuresClock: Bool { get }

  /// Called once, when the session is established.
  ///
  /// - Parameter isExpected: whether the peer is expected to know the extension, see
  ///   ``Endpoint/connect(to:data:expectsExtension:at:)``.
  func established(at now: Instant, isExpected: Bool)

  /// Does what is due at `now`.
  ///
  /// - Returns: false if the peer is out of reach. The endpoint then ends the session as lost.
  func advance(to now: Instant, in context: SessionContext) -> Bool

  /// Receives a control packet of the session, for which ``ProtocolExtension/ssrc(ofControlPacket:)`` returned the SSRC
  /// of the peer.
  ///
  /// - Returns: the outcome by which the datagram is counted.
  func receive(
    controlPacket packet: Span<UInt8>, _ arrival: ControlPacketArrival, in context: SessionContext
  ) -> DatagramOutcome

  /// Receives the header extension of an RTP packet that was received for the first time.
  ///
  /// - Parameters:
  ///   - header: the profile of the extension and the place of its data in `packet`.
  ///   - instant: the arrival by the local clock.
  func receive(_ header: HeaderExtension, of packet: Span<UInt8>, at instant: Instant, in context: SessionContext)
}

/// The circumstances in which a control packet arrived.
public struct ControlPacketArrival: Hashable, Sendable, BitwiseCopyable {
  /// The remote address.
  public let address: SocketAddress
  /// The local port.
  public let port: Port
  /// The arrival by the local clock.
  public let instant: Instant
  /// Whether the thread that received the packet has already replied to it.
  public let isAnswered: Bool
}

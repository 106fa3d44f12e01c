import BasicContainers
import MusicalTime

/// A protocol that adds packets of its own to RTP-MIDI sessions.
///
/// An ``Endpoint`` without an extension is a complete standard RTP-MIDI endpoint. An endpoint with an extension creates
/// one ``SessionExtension`` for each session that is established or whose peer is a candidate (``Candidacy``). The
/// extension can then
///
/// - exchange control packets of its own: FF FF and two letters that AppleMIDI does not use,
/// - evaluate the header extension of received RTP packets (RFC 3550, section 5.3.1),
/// - measure the remote clock in place of CK packets,
/// - set the limits by which the endpoint detects a silent peer,
/// - demand that a peer proves something before its session is established, and authenticate datagrams (``mark``).
///
/// The sending half of a header extension is ``PacketSender/headerExtension``.
///
/// The extension of an endpoint belongs to the thread of the endpoint. A real-time thread that decodes packets does not
/// call the extension. It uses ``RTPHeader/decode(_:)`` and ``HeaderExtension/data``, which are real-time safe.
public protocol ProtocolExtension: AnyObject {
  /// A number that the local peer writes into its invitations and its answers to invitations; nil if there is none.
  ///
  /// Peers with different marks refuse each other. If there is a mark, sessions are *protected*, except those with hosts
  /// that ``Endpoint/exempts`` names:
  ///
  /// - A session is established only when the extension has called ``SessionContext/verifyPeer(as:isPreferred:at:)``.
  /// - An established session accepts authentic datagrams only. Invitations, OK, NO and packets of the extension that are not
  ///   authentic are evaluated only for another session, which replaces the established one after its own proof.
  ///
  /// The receiving thread decides which datagrams are authentic.
  var mark: UInt32? { get }

  /// Whether a number in an invitation of another peer, or in its answer, is a mark of this extension. All other numbers are ignored:
  /// some devices send octets after their name.
  func isMark(_ number: UInt32) -> Bool

  /// A number by which the local peer announces that it knows the extension, in place of ``mark`` in its invitations and its answers to
  /// invitations; nil if there is none.
  ///
  /// The endpoint expects the extension of a peer that has announced it, see
  /// ``SessionExtension/established(at:isExpected:isProtected:)``. Other implementations ignore the number.
  var announcement: UInt32? { get }

  /// Whether a number in an invitation of another peer, or in its answer, announces this extension.
  func isAnnouncement(_ number: UInt32) -> Bool

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

extension ProtocolExtension {
  public var mark: UInt32? { nil }
  public func isMark(_ number: UInt32) -> Bool { false }
  public var announcement: UInt32? { nil }
  public func isAnnouncement(_ number: UInt32) -> Bool { false }
}

/// The state of a ``ProtocolExtension`` in one session, which is established or whose peer is a candidate (``Candidacy``).
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

  /// Called once, when the session is established, or when a peer becomes a candidate.
  ///
  /// - Parameters:
  ///   - isExpected: whether the peer is expected to know the extension. The peer of an unprotected session has announced the extension in
  ///     its invitation or its answer (``ProtocolExtension/announcement``). For the peer of a protected session, see
  ///     ``Endpoint/connect(to:data:expectsExtension:at:)``.
  ///   - isProtected: whether the session is protected, see ``ProtocolExtension/mark``.
  func established(at now: Instant, isExpected: Bool, isProtected: Bool)

  /// Does what is due at `now`.
  ///
  /// - Returns: false if the peer is out of reach. The endpoint then ends the session as lost, or drops the candidate.
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

  /// Makes a datagram of a protected session authentic. Called immediately before the datagram is sent. Appends at most
  /// 16 octets. By default, this function does nothing.
  ///
  /// - Parameters:
  ///   - port: the local port that sends the datagram.
  ///   - instant: the present local time, as the owner of the endpoint has passed it last.
  func seal(_ datagram: inout RigidArray<UInt8>, port: Port, at instant: Instant)
}

extension SessionExtension {
  public func seal(_ datagram: inout RigidArray<UInt8>, port: Port, at instant: Instant) {}
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
  /// Whether the receiving thread has found the datagram authentic. False in a session that is not protected.
  public let isAuthentic: Bool
}

/// The rules by which an ``Endpoint`` supervises an established session.
public struct Supervision: Hashable, Sendable, BitwiseCopyable {
  /// The silence after which the endpoint invites the peer again (a *revival*). The session is lost after twice this
  /// time, but not before five seconds.
  public var silenceLimit: Nanoseconds
  /// Whether the peer supervises the session by the same rules.
  ///
  /// - If true, either side revives the session. If false, only the initiator does.
  /// - If true, the invitations of a revival are half of ``silenceLimit`` apart. If false, they are 1 s apart.
  /// - If true, a lost session ends without BY, because the peer revives the session by itself and would understand BY
  ///   as the end. If false, BY is sent.
  /// - If true, BY is sent on the control port only. If false, it is sent on both ports, because some implementations
  ///   require that.
  public var isMutual: Bool

  public init(silenceLimit: Nanoseconds, isMutual: Bool) {
    (self.silenceLimit, self.isMutual) = (silenceLimit, isMutual)
  }

  /// The rules for a standard device. A revival starts after 30 s of silence, which corresponds to three CK0 without a
  /// reply. The session is lost after 60 s.
  ///
  /// Real-time: not safe.
  public static var standard: Supervision { Supervision(silenceLimit: .seconds(30), isMutual: false) }

  /// The silence after which the session is lost.
  var lossLimit: Nanoseconds { max(.seconds(5), Nanoseconds(2 * silenceLimit.count)) }

  /// Half of ``silenceLimit``.
  var halfLimit: Nanoseconds { Nanoseconds(silenceLimit.count / 2) }
}

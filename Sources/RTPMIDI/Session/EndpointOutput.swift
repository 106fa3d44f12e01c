import MIDI
import MusicalTime

/// The peer of an established session.
public struct SessionInfo: Hashable, Sendable {
  /// The name that the peer gave in its invitation or answer.
  public let name: String?
  /// The SSRC of the RTP stream that the peer sends.
  public let ssrc: UInt32
  /// The address of the remote control port.
  public let control: SocketAddress
  /// The address of the remote data port, the destination of the MIDI stream.
  public let data: SocketAddress
  /// The local address to which the peer sends; nil if it is unknown. Packets to the peer leave from this address.
  public let local: SocketAddress?
  /// The SSRC of the RTP stream to the peer, and of all other packets to it.
  public let localSSRC: UInt32
  /// Whether the local peer is the initiator: see ``SessionContext/isInitiator``.
  public let isInitiator: Bool
  /// Whether the session is protected: see ``ProtocolExtension/mark``.
  public internal(set) var isProtected = false
  /// The number after the name in the invitation or the answer of the peer, see ``ProtocolExtension/announcement``; nil if there is none.
  public internal(set) var mark: UInt32? = nil
}

extension Endpoint {
  /// A task or an event that the endpoint hands to its owner, see ``Endpoint/drain()``.
  public enum Output: Hashable, Sendable {
    // A host can have several addresses. `from` is the local address from which the packet must leave, because the peer
    // knows the session by this address. Its port is not used. If `from` is nil, the host chooses the address.

    /// Send a datagram from the local `Port`. Send the datagram at once: its stamps contain the instant at which the
    /// endpoint created it.
    case send([UInt8], to: SocketAddress, from: SocketAddress? = nil, Port)
    /// Send a CK0 (a clock request) from the local data port, see ``Endpoint/clockPacket(on:sentAt:)``.
    case clockPacket(SessionID, to: SocketAddress, from: SocketAddress? = nil)
    /// Send a packet of the ``ProtocolExtension`` from the local data port. The extension provides the packet.
    case extensionPacket(SessionID, to: SocketAddress, from: SocketAddress? = nil)

    /// The session is established.
    case established(SessionID, SessionInfo)
    /// The peer answered NO to the first invitation, or to an invitation that was meant to revive the session.
    case refused(SessionID)
    /// The peer has answered the first invitation with another mark, or without one: see ``ProtocolExtension/mark``. The
    /// invitation has ended. `isMarked` is whether the answer contains a mark.
    case hasOtherMark(SessionID, isMarked: Bool)
    /// The local invitation came back to this endpoint, which has cancelled the invitation.
    case reflected(SessionID)
    /// The peer did not answer twelve invitations; or it accepted on its control port and then sent NO or BY; or it gave no
    /// proof in a protected session.
    case unreachable(SessionID)
    /// The peer was silent for 60 s, for 30 s if it never sent CK, or for the time limit that the extension sets; or
    /// another session with the peer has replaced this one; or the extension reported that the peer is out of reach.
    case lost(SessionID)
    /// Either side ended the session with BY.
    case closed(SessionID)

    /// The endpoint answered an invitation with NO for the given reason, or a candidate (``Candidacy``) gave no proof in time.
    /// Reported at most once a minute for each address, and for at most 64 addresses per minute.
    case declined(name: String?, from: SocketAddress, DeclineReason)

    /// An event of the ``ProtocolExtension``.
    case extended(SessionID, ExtensionEvent)
    /// A measurement of the remote clock: one packet with its departure and its arrival. The source is CK or the
    /// ``ProtocolExtension``.
    case clock(SessionID, ClockTransit)

    /// A message with its time stamp (remote clock, whole units of 100 us) and its arrival (local clock). A recovered
    /// message repairs an earlier loss. Its time stamp is that of the packet with the journal, not that of the lost
    /// message.
    case message(SessionID, Message, at: Instant, arrival: Instant, isRecovered: Bool)
    /// A System Exclusive message: its data octets without F0 and F7, its time stamp and its arrival.
    case systemExclusive(SessionID, [UInt8], at: Instant, arrival: Instant)
    /// The packets of the peer contain recovery journals. Reported once.
    case peerSendsJournals(SessionID)
    /// The peer has received the stream sent to it up to this sequence number.
    case feedback(SessionID, sequence: UInt16)
    /// A packet of an established session, or a part of it, was not used.
    case irregular(SessionID, Irregularity)
  }
}

/// Why a packet of a session, or a part of it, was not used.
public enum Irregularity: Hashable, Sendable, BitwiseCopyable {
  /// A time stamp of the peer is implausible: see ``DatagramCounters/implausibleClocks``. A ``ProtocolExtension`` has further rules.
  case implausibleStamp
  /// A reply of the peer answers no packet, or was received before.
  case unsolicitedReply
}

/// The endpoint has its maximum number of sessions.
public struct TooManySessions: Error, Hashable, Sendable, CustomStringConvertible {
  public let limit: Int
  public var description: String { "sessions: \(limit) are open, which is the maximum; stop other peers first" }
}

/// One of the two UDP ports of an endpoint. The AppleMIDI session protocol calls them the control port (N) and the data
/// port (N + 1). The packets of this protocol are IN (invitation), OK (acceptance), NO (rejection), BY (end of the session),
/// CK (clock comparison) and RS (receiver feedback).
public enum Port: Hashable, Sendable, BitwiseCopyable {
  /// The control port: the first IN and its answer, BY and RS.
  case control
  /// The data port: the second IN and its answer, then RTP packets, CK, and BY.
  case data
}

/// The identifier of one session of an ``Endpoint``, from its first invitation on. An endpoint never reuses an
/// identifier.
public struct SessionID: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt64

  /// Real-time: safe.
  @_noLocks @_noAllocation
  package init(number: UInt64) { self.number = number }
}

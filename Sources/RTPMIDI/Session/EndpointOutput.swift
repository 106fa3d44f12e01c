import MIDI
import MusicalTime

/// The peer of an established session.
public struct SessionInfo: Hashable, Sendable {
  /// As the peer calls itself; for people.
  public let name: String?
  /// Of the RTP stream it sends.
  public let ssrc: UInt32
  /// Where its control port is reached.
  public let control: SocketAddress
  /// Where its data port is reached: MIDI goes there.
  public let data: SocketAddress
  /// Whether the session was begun from here.
  public let isInitiator: Bool
}

extension Endpoint {
  /// What an endpoint wants done, or has to tell, in order.
  public enum Output: Hashable, Sendable {
    /// A datagram to send from the own `Port` to the peer's. Send at once: stamps in it say that it left when it was
    /// made.
    case send([UInt8], to: SocketAddress, Port)
    /// A clock probe is to be sent from the own data port: see ``Endpoint/sendProbe(on:by:)``.
    case probe(SessionID, to: SocketAddress)
    /// A CK0 is to be sent from the own data port: see ``Endpoint/clockPacket(on:sentAt:)``.
    case clockPacket(SessionID, to: SocketAddress)

    case established(SessionID, SessionInfo)
    /// The peer answered NO, to the first invitation or to one that was to revive the session.
    case refused(SessionID)
    /// The invitation came back to this endpoint itself, and was taken back.
    case reflected(SessionID)
    /// The peer answered nothing, twelve times; or accepted on its control port, and then said NO or BY.
    case unreachable(SessionID)
    /// Nothing came from the peer for 60 s, from a Tutti peer for 5 s; or it has a new session; or a Tutti peer was expected
    /// that was not heard after the first second.
    case lost(SessionID)
    /// Ended by BY, from either side.
    case closed(SessionID)

    /// An invitation was answered NO because ``Endpoint/admits`` does not allow it; told once a minute for each address,
    /// and of 64 addresses a minute at most.
    case declined(name: String?, from: SocketAddress)

    /// The peer is a Tutti peer.
    case recognised(SessionID, identity: UInt64)
    /// The peer has not answered three probes.
    case foreign(SessionID)
    /// After ``foreign(_:)``: it is a Tutti peer all the same, and will be asked which until it answers.
    case tutti(SessionID)
    /// A packet to or from the peer told when it left and arrived: of a recognised peer by probes and by the packets of its
    /// RTP stream, of any other by CK.
    case clock(SessionID, ClockTransit)

    /// A message that counts at an instant of the remote clock, in whole units of 100 us, and arrived at one of the
    /// own. One that is recovered puts right what was lost before; it does not tell when.
    case message(SessionID, Message, at: Instant, arrival: Instant, isRecovered: Bool)
    /// A System Exclusive, its data octets without F0 and F7.
    case systemExclusive(SessionID, [UInt8], at: Instant, arrival: Instant)
    /// The peer's packets bear recovery journals, told once.
    case journals(SessionID)
    /// The peer has received the stream sent to it up to this sequence number.
    case feedback(SessionID, sequence: UInt16)
  }
}

/// An endpoint has as many sessions as it may.
public struct TooManySessions: Error, Hashable, Sendable, CustomStringConvertible {
  public let limit: Int
  public var description: String { "cannot connect: \(limit) sessions are open already; close one first" }
}

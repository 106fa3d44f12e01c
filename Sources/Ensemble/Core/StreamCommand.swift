public import MIDI
public import MusicalTime
public import RTPMIDI

/// What a core asks of the owner of its sessions' RTP streams, which alone writes to them: in the engine the clock thread.
public enum StreamCommand: Hashable, Sendable {
  /// To whom a message goes.
  public enum Receiver: Hashable, Sendable {
    case session(SessionID)
    /// All Tutti peers.
    case tutti
    /// All that are in session and are no Tutti peers, as far as is known.
    case foreign
  }

  /// A session has come about: `address` is its peer's data port. Whoever gives the clock does not take it back.
  case open(SessionID, to: SocketAddress, ssrc: UInt32, sequence: UInt16, takesClock: Bool)
  /// The session's peer is a Tutti peer: it is told what goes to all of them, the clock in any case.
  case recognise(SessionID)
  /// Whether the session's peer honours time stamps.
  case stamp(SessionID, Bool)
  /// Whether the session's packets are to bear a recovery journal.
  case journal(SessionID, Bool)
  /// The session's peer has received or repaired all packets up to this one.
  case acknowledge(SessionID, sequence: UInt16)
  case close(SessionID)
  /// A System Exclusive message, its data octets without F0 and F7. Nil: to all Tutti peers. The journal repairs its loss, or
  /// does not, as it is told again.
  case exclusive([UInt8], to: SessionID?, isJournalled: Bool)
  /// A message that counts at an instant of the own clock; nil: when it is sent.
  case message(Message, at: Instant?, to: Receiver)
}

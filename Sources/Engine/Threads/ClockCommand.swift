import RTPMIDI
import Transports

/// What the control thread asks of the clock thread, which alone writes to the sessions' RTP streams.
enum ClockCommand: Sendable, BitwiseCopyable {
  /// A session has come about: `address` is its peer's data port. Whoever gives the clock does not take it back.
  case open(session: SessionID, address: SocketAddress, ssrc: UInt32, sequence: UInt16, takesClock: Bool)
  /// The session's peer is a Tutti peer: it is told what goes to all of them, the clock in any case.
  case recognise(session: SessionID)
  /// Whether the session's peer honours time stamps.
  case stamp(session: SessionID, Bool)
  /// Whether the session's packets are to bear a recovery journal.
  case journal(session: SessionID, Bool)
  /// The session's peer has received or repaired all packets up to this one.
  case acknowledge(session: SessionID, sequence: UInt16)
  /// The session is over.
  case close(session: SessionID)
  /// Somebody has subscribed to the clock port, or is connected no more.
  case subscribed(SequencerAddress)
  case unsubscribed(SequencerAddress)
  /// A System Exclusive message for one session, or for all Tutti peers.
  case exclusive(Exclusive, session: SessionID?)
  /// The thread ends; who heard the rhythm from here is told Stop first.
  case quit

  /// The data octets of a System Exclusive message, without F0 and F7.
  struct Exclusive: Sendable, BitwiseCopyable {
    static var room: Int { @_noLocks @_noAllocation get { 96 } }
    var octets = InlineArray<96, UInt8>(repeating: 0)
    var count = 0
    /// Whether the journal repairs its loss.
    let isJournalled: Bool

    /// Nil when there are more octets than there is room.
    init?(_ data: [UInt8], isJournalled: Bool = false) {
      self.isJournalled = isJournalled
      guard data.count <= Self.room else { return nil }
      for octet in data {
        octets[count] = octet
        count += 1
      }
    }
  }
}

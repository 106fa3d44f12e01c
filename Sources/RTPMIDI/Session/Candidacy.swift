import MusicalTime

/// The state of a *candidate*. A candidate is a peer that has invited the local peer on both ports, but has not yet proved that it
/// receives at its address. The session of such a peer is also called a candidate.
///
/// The addresses of an invitation can be forged. A session with such an address would send the rhythm to a host that
/// has not asked for it. The proof is a packet that repeats a stamp of the local peer: CK2, CK1 (``ClockPacket``), or a
/// packet of the ``ProtocolExtension``. (QUIC validates addresses in the same way: RFC 9000, section 8.) The local peer
/// replies to the CK0 of a candidate, and sends packets of the extension to the candidate. After a second, the local peer
/// also sends CK0, because some devices never send CK0. A peer that the local peer has invited is no candidate: the token
/// in its OK proves that it receives.
///
/// In a protected session (``ProtocolExtension/mark``), the peer is a candidate even if the local peer has invited it.
/// The proof is then the one that the extension demands.
struct Candidacy {
  /// The time within which a candidate must prove that it receives.
  static var lifetime: Nanoseconds { .seconds(5) }
  /// The time after which CK0 is sent.
  static var clockDelay: Nanoseconds { .seconds(1) }
  /// The number of CK1 and CK2 packets with a wrong stamp after which a candidate is dropped. The stamps of the local clock can
  /// be guessed, so a sender must not have many attempts.
  private static var wrongReplyLimit: Int { 3 }
  /// The maximum number of events in ``events``.
  private static var eventLimit: Int { 4 }

  /// The instant at which the invitation, or the OK to the local invitation, arrived on the data port.
  let since: Instant
  /// Whether the peer has proved its identity, but an established session with the same peer is kept. The expiry of the candidate is
  /// then not reported.
  var hasRival = false
  private var wrongReplies = 0
  /// The events of the extension, which are reported after the proof.
  private(set) var events: [ExtensionEvent] = []

  init(at now: Instant) { since = now }

  /// The instant at which the candidate is dropped.
  var expires: Instant { since + Self.lifetime }

  /// Counts a CK1 or CK2 that replies to no packet. Returns false if the candidate must be dropped.
  mutating func countWrongReply() -> Bool {
    wrongReplies += 1
    return wrongReplies < Self.wrongReplyLimit
  }

  /// Appends an event. Drops it if there are ``eventLimit`` events already.
  mutating func append(_ event: ExtensionEvent) {
    if events.count < Self.eventLimit { events.append(event) }
  }
}

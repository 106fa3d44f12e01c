import MusicalTime

/// One AppleMIDI session of an ``Endpoint``.
///
///     initiator                                               answerer
///     connect, IN on control                                  IN on control, answered OK
///        ▼                                                       ▼
///     invitingControl ── NO ──▶ refused                       half open ── 15 s, or 64 younger ──▶ forgotten
///        │ OK         ── 12 IN, 1 s apart ──▶ unreachable        │
///        ▼                                                       │ IN on data, answered OK
///     invitingData ── as above                                   │
///        │ OK                                                    │
///        └───────────────────▶ established ◀─────────────────────┘
///                                  ├── BY from either side ──▶ closed
///                                  └── 60 s of silence, 5 s of a Tutti peer's, or a new session with the same address ──▶ lost
///
/// If both peers invite each other, the first invitation that succeeds makes the one session, and both send CK0. An
/// invitation under a new token within a session is one of a restarted device: it is accepted, and its RTP stream
/// begins anew.
final class Session<Address: Hashable & Sendable> {
  enum Phase { case invitingControl, invitingData, established }

  let id: SessionID
  /// Of the own invitation.
  let token: UInt32
  /// Of the peer's invitation, if it has sent one.
  var acceptedToken: UInt32?
  var phase = Phase.invitingControl
  /// The remote control and data ports' addresses.
  let control: Address
  var data: Address
  /// The remote ssrc, of the data port, and name; unknown while inviting on the control port.
  var ssrc: UInt32 = 0
  /// The ssrc in what the peer sends from its control port: another one where each port has its own (pymidi 0.5.0).
  var controlSSRC: UInt32 = 0
  var name: String?
  var isInitiator: Bool

  /// How often the phase's invitation has been sent, and when it is due again.
  private var tries = 0
  private var nextTry = Instant.distantFuture
  var lastHeard = Instant(nanoseconds: 0)
  var feedbackDue: Instant?
  var hasToldOfJournals = false
  var receiver = PacketReceiver(ssrc: 0, systemExclusiveCapacity: 0)
  var clock = ClockComparison()
  var recognition = Recognition()
  /// The remote clock at about an own instant, from which time stamps get their upper bits.
  var anchor: (own: Instant, remote: Instant)?

  init(id: SessionID, token: UInt32, control: Address, data: Address, isInitiator: Bool) {
    (self.id, self.token, self.control, self.data) = (id, token, control, data)
    self.isInitiator = isInitiator
  }

  /// Starts the invitation of `phase`: the first is due at once.
  func invite(_ phase: Phase, at now: Instant) { (self.phase, tries, nextTry) = (phase, 0, now) }

  enum Invitation { case due, exhausted }

  /// Whether an invitation is due at `now`, or twelve have not been answered.
  func advanceInvitation(to now: Instant) -> Invitation? {
    guard phase != .established, nextTry <= now else { return nil }
    guard tries < 12 else { return .exhausted }
    tries += 1
    nextTry = now + .seconds(1)
    return .due
  }

  /// The session is agreed upon.
  func establish(at now: Instant) {
    phase = .established
    lastHeard = now
    beginStream()
    if isInitiator { clock.begin(at: now) }
    recognition.begin(at: now)
  }

  /// The peer's RTP stream begins, or begins anew.
  func beginStream() {
    receiver = PacketReceiver(ssrc: ssrc, systemExclusiveCapacity: 4096)
    anchor = nil
  }

  /// A packet has come: the peer hears of it within a second, or within 100 ms when its journal has grown beyond 128
  /// octets and can be shortened.
  func wantFeedback(at now: Instant) {
    var length = Nanoseconds.seconds(1)
    if let octets = receiver.journalLength, octets > 128 { length = .milliseconds(100) }
    if feedbackDue.map({ now + length < $0 }) ?? true { feedbackDue = now + length }
  }

  /// When the peer is given up. A Tutti peer that lives answers ten probes a second, so its silence tells soon.
  var silenceEnds: Instant { lastHeard + .seconds(recognition.isRecognised ? 5 : 60) }

  /// When the session next has something to do.
  var deadline: Instant {
    guard phase == .established else { return nextTry }
    var earliest = silenceEnds
    if let next = clock.next, next < earliest { earliest = next }
    if let next = recognition.next, next < earliest { earliest = next }
    if let next = feedbackDue, next < earliest { earliest = next }
    return earliest
  }

  /// The remote clock at `now`, as far as it is known.
  func remoteClock(at now: Instant) -> Instant? { anchor.map { $0.remote + (now - $0.own) } }
}

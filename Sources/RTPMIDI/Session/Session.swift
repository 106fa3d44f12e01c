import MusicalTime

/// One AppleMIDI session of an ``Endpoint``.
///
///     initiator                                               answerer
///     connect, IN on control                                  IN on control, answered OK
///        ▼                                                       ▼
///     invitingControl ── NO ──▶ refused                       half open ── 15 s, or 64 younger ──▶ forgotten
///        │ OK         ── 12 IN, 1 s apart ──▶ unreachable        │
///        ▼                                                       │ IN on data, answered OK
///     invitingData ── NO, BY, 12 IN ──▶ unreachable              │
///        │ OK                                                    │
///        └───────────────────▶ established ◀─────────────────────┘
///                                  ├── BY from either side ──▶ closed
///                                  └── 60 s of silence, 5 s of a Tutti peer's, 2 s of
///                                      one expected and not heard yet, or replaced ──▶ lost
///
/// If both peers invite each other, the first invitation that succeeds makes the one session, and both send CK0.
///
/// Revival. A Tutti peer that lives is heard ten times a second and more. When one has been silent for a second it may
/// have been restarted, or one of the two may have another address now: so it is invited again, from either side, while
/// the session still stands. If it is heard, the network was all that was missing, and the session goes on; if it
/// accepts, the session is lost and a new one takes its place, on both sides. A foreign peer invited from here is revived
/// after 30 s without an answer to CK0. An invitation under a new token within a session has the same effect there, and so
/// has one of a silent peer's ssrc from another address.
final class Session {
  enum Phase { case invitingControl, invitingData, established }

  let id: SessionID
  /// Of the own invitation.
  let token: UInt32
  /// Of the peer's invitation, if it has sent one.
  var acceptedToken: UInt32?
  var phase = Phase.invitingControl
  /// The remote control and data ports' addresses.
  let control: SocketAddress
  var data: SocketAddress
  /// The remote ssrc, of the data port, and name; unknown while inviting on the control port.
  var ssrc: UInt32 = 0
  /// The ssrc in what the peer sends from its control port: another one where each port has its own (pymidi 0.5.0).
  var controlSSRC: UInt32 = 0
  var name: String?
  let isInitiator: Bool
  /// Whether the peer is taken to be a Tutti peer, as one announces itself or had a session there.
  var expectsTutti = false

  /// The session that this one, an invitation still, is to replace.
  var revives: SessionID?
  /// The invitation that is to replace this session.
  var revival: Session?
  /// No revival begins before.
  var revivalHold = Instant(nanoseconds: .min)
  /// When the session was agreed upon.
  private(set) var since = Instant(nanoseconds: 0)

  /// Where the peer will send from once it has accepted on the data port too.
  var awaitedSource: SessionTable.Source?

  /// Its place among the ``Deadlines``, and the deadline by which it has it.
  var place: Int?
  var scheduled = Instant.distantFuture

  /// How often the phase's invitation has been sent, and when it is due again.
  private var tries = 0
  private var lastTry = Instant(nanoseconds: 0)
  private var nextTry = Instant.distantFuture
  private var pause = Nanoseconds.seconds(1)
  var lastHeard = Instant(nanoseconds: 0)
  var feedbackDue: Instant?
  var hasToldOfJournals = false
  var receiver = PacketReceiver(ssrc: 0, systemExclusiveCapacity: 0)
  var clock: ClockComparison
  var recognition: Recognition
  /// The newest acknowledgement: when it left there, and when it arrived.
  var acknowledgement: (sent: Instant, received: Instant)?
  /// When the newest request of the peer left there.
  var asked: Instant?
  /// When the reply and the acknowledgement from here left of which the peer has told last.
  var repliedLast: Instant?
  var acknowledgedLast: Instant?
  var sendInstants = SendInstants()
  /// The remote clock at about an own instant, from which time stamps get their upper bits.
  var anchor: (own: Instant, remote: Instant)?
  /// The same by clock packets alone, and one that did not fit.
  private var reading: (own: Instant, remote: Instant)?
  private var doubted: (own: Instant, remote: Instant)?

  init(id: SessionID, token: UInt32, control: SocketAddress, data: SocketAddress, isInitiator: Bool) {
    (self.id, self.token, self.control, self.data) = (id, token, control, data)
    self.isInitiator = isInitiator
    // The token is random, so that no two sessions, here or there, keep step.
    let seed = UInt64(token) << 32 | id.number & 0xFFFF_FFFF
    clock = ClockComparison(seed: seed)
    recognition = Recognition(seed: ~seed)
  }

  /// Starts the invitation of `phase`: the first is due at once.
  ///
  /// - Parameter pause: between two of them, 1 s being what others expect.
  func invite(_ phase: Phase, at now: Instant, pause: Nanoseconds = .seconds(1)) {
    (self.phase, tries, nextTry, self.pause) = (phase, 0, now, pause)
  }

  enum Invitation { case due, exhausted }

  /// Whether an invitation is due at `now`, or twelve have not been answered. On the data port the second and third come
  /// sooner, after 250 and 500 ms: the peer has just answered on the other, so a datagram was lost. To a Tutti peer they
  /// all come every 250 ms there, and the first four on the control port; others may not expect that.
  func advanceInvitation(to now: Instant) -> Invitation? {
    guard phase != .established, nextTry <= now else { return nil }
    guard tries < 12 else { return .exhausted }
    tries += 1
    lastTry = now
    let isHasty = phase == .invitingData ? tries <= 2 || expectsTutti : tries < 4 && expectsTutti
    nextTry = now + (isHasty ? min(pause, .milliseconds(expectsTutti ? 250 : 250 * Int64(tries))) : pause)
    return .due
  }

  /// The peer speaks as one does in a session: its answer on the data port was lost, or its earlier session still stands.
  /// So it is invited again soon, 250 ms after the last time, and not given up.
  func hurry(at now: Instant) {
    guard phase == .invitingData else { return }
    let next = max(now, lastTry + .milliseconds(250))
    if next < nextTry { (tries, nextTry) = (1, next) }
  }

  /// The session is agreed upon.
  func establish(at now: Instant) {
    phase = .established
    (since, lastHeard) = (now, now)
    beginStream()
    if isInitiator { clock.begin(at: now) }
    recognition.begin(at: now, isExpected: expectsTutti)
  }

  /// The peer's RTP stream begins, or begins anew.
  func beginStream() {
    receiver = PacketReceiver(ssrc: ssrc, systemExclusiveCapacity: 4096)
    (anchor, reading, doubted) = (nil, nil, nil)
  }

  /// A packet has come: the peer hears of it within a second, or within 100 ms when it waits for that, or when its journal
  /// has grown beyond 128 octets and can be shortened.
  ///
  /// - Parameter isAwaited: whether the packet says what no other may follow soon, more than that time goes on, or is a guard
  ///   packet.
  func wantFeedback(at now: Instant, isAwaited: Bool) {
    var length = Nanoseconds.seconds(1)
    if isAwaited || receiver.journalLength.map({ $0 > 128 }) ?? false { length = .milliseconds(100) }
    if feedbackDue.map({ now + length < $0 }) ?? true { feedbackDue = now + length }
  }

  /// When the peer is given up. A Tutti peer that lives answers ten probes a second, so its silence tells soon.
  var silenceEnds: Instant { lastHeard + max(.seconds(5), Nanoseconds(2 * patience.count)) }

  /// How long a peer is silent before it is invited again: a Tutti peer five probes at least, a foreign one three CK0.
  var patience: Nanoseconds {
    guard recognition.isTutti else { return .seconds(30) }
    return max(.seconds(1), Nanoseconds(6 * recognition.interval.count))
  }

  /// When the peer is to be invited again; nil while it is, and if it never is.
  private var revivalDue: Instant? {
    guard revival == nil, recognition.isTutti || isInitiator else { return nil }
    return max(lastHeard + patience, revivalHold)
  }

  func isRevivalDue(at now: Instant) -> Bool { revivalDue.map { $0 <= now } ?? false }

  /// Whether the peer has been silent for so long that another session with it may take this one's place. That is half
  /// its patience: the peer, whose own began at about the same moment, must not come too early with its invitation.
  func isSilent(at now: Instant) -> Bool { now - lastHeard >= Nanoseconds(patience.count / 2) }

  /// Whether a Tutti peer was expected and nothing has come within the first second: a foreign one would have asked or
  /// answered for its clock by then. So when no answer tells which it is, it is neither, but out of reach.
  var isCutOff: Bool { expectsTutti && lastHeard < since + .seconds(1) }

  /// When the session next has something to do.
  var deadline: Instant {
    guard phase == .established else { return nextTry }
    var earliest = silenceEnds
    if let next = clock.next, next < earliest { earliest = next }
    if let next = recognition.next, next < earliest { earliest = next }
    if let next = feedbackDue, next < earliest { earliest = next }
    if let next = revivalDue, next < earliest { earliest = next }
    return earliest
  }

  /// The remote clock at `now`, as far as it is known.
  func remoteClock(at now: Instant) -> Instant? { anchor.map { $0.remote + (now - $0.own) } }

  /// Takes what a clock packet says of the remote clock at `own`. A clock may step, but hardly ever does: a reading a
  /// minute or more from where the last one puts it counts only when the next agrees with it.
  ///
  /// - Returns: whether it is believed; if not, nothing has changed.
  func believe(_ remote: Instant, at own: Instant) -> Bool {
    if let reading, !Self.agree(reading, (own, remote)), doubted.map({ Self.agree($0, (own, remote)) }) != true {
      doubted = (own, remote)
      return false
    }
    (anchor, reading, doubted) = ((own, remote), (own, remote), nil)
    return true
  }

  private static func agree(_ a: (own: Instant, remote: Instant), _ b: (own: Instant, remote: Instant)) -> Bool {
    let step = (b.remote - a.remote) - (b.own - a.own)
    return step > .seconds(-60) && step < .seconds(60)
  }
}

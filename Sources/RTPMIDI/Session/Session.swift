import MusicalTime

/// One AppleMIDI session of an ``Endpoint``.
///
///     initiator                                               answerer
///     connect, IN on control                                  IN on control, answered OK
///        ▼                                                       ▼
///     invitingControl ── NO ──▶ refused                       half open ── 15 s, or 64 newer ──▶ dropped
///        │ OK         ── 12 IN, 1 s apart ──▶ unreachable        │
///        ▼                                                       │ IN on data, answered OK
///     invitingData ── NO, BY, 12 IN ──▶ unreachable              │
///        │ OK                                                    │
///        └───────────────────▶ established ◀─────────────────────┘
///                                  ├── BY from either side ──▶ closed
///                                  └── 60 s of silence, other limits of an extension, or replaced ──▶ lost
///
/// If both peers invite each other, the first invitation that succeeds makes the one session, and both send CK0.
///
/// Revival. A peer that is silent for ``Supervision/silenceLimit`` may have been restarted, or one of the two may have a new
/// address. The peer is therefore invited again while the session still exists: by the initiator, or by both sides if the
/// supervision is mutual. If the peer is heard again, the network was the only problem, and the session continues. If the
/// peer accepts, the session is lost and a new one replaces it, on both sides. On the other side, an invitation with a new
/// token within a session has the same effect, and so has an invitation with the SSRC of a silent peer from another address.
final class Session {
  enum Phase { case invitingControl, invitingData, established }

  let id: SessionID
  /// The token of the local invitation.
  let token: UInt32
  /// The token of the peer's invitation; nil without one.
  var acceptedToken: UInt32?
  var phase = Phase.invitingControl
  /// The addresses of the remote control and data ports.
  let control: SocketAddress
  var data: SocketAddress
  /// The remote SSRC of the data port, and the name. Unknown during the invitation on the control port.
  var ssrc: UInt32 = 0
  /// The SSRC in packets from the remote control port. It differs from ``ssrc`` if each remote port has its own (pymidi
  /// 0.5.0).
  var controlSSRC: UInt32 = 0
  var name: String?
  let isInitiator: Bool
  /// Whether the peer is expected to know the extension of the endpoint.
  var expectsExtension = false
  /// The state of the extension; nil until the session is established, and in an endpoint without extension.
  var `extension`: (any SessionExtension)?
  /// The lasting identity of the peer, which the extension determines; nil as long as it is unknown.
  var peerIdentity: UInt64?

  /// The session that this one, still an invitation, is meant to replace.
  var revives: SessionID?
  /// The invitation that is meant to replace this session.
  var revival: Session?
  /// The instant before which no revival starts.
  var revivalHold = Instant(nanoseconds: .min)
  private(set) var establishedAt = Instant(nanoseconds: 0)

  /// The source of the peer's packets after it has accepted on the data port too.
  var awaitedSource: SessionTable.Source?

  /// The index in the heap of ``Deadlines``, and the deadline that determines this index.
  var heapIndex: Int?
  var scheduledDeadline = Instant.distantFuture

  /// The number of invitations sent in this phase, and when the next is due.
  private var tries = 0
  private var lastTry = Instant(nanoseconds: 0)
  private var nextTry = Instant.distantFuture
  private var pause = Nanoseconds.seconds(1)
  /// The arrival of the newest valid datagram of the peer.
  var lastHeard = Instant(nanoseconds: 0)
  var feedbackDue: Instant?
  var hasReportedJournals = false
  var receiver = PacketReceiver(ssrc: 0, systemExclusiveCapacity: 0)
  var clock: ClockComparison
  /// The seed of ``extension``.
  private let seed: UInt64
  /// A pair of readings of the local and the remote clock. It determines the upper bits of RTP time stamps.
  var anchor: (local: Instant, remote: Instant)?
  /// The newest accepted pair from clock packets, and the newest implausible one.
  private var reading: (local: Instant, remote: Instant)?
  private var implausibleReading: (local: Instant, remote: Instant)?

  init(id: SessionID, token: UInt32, control: SocketAddress, data: SocketAddress, isInitiator: Bool) {
    (self.id, self.token, self.control, self.data) = (id, token, control, data)
    self.isInitiator = isInitiator
    // The token is random. Therefore no two sessions of either peer send in step.
    seed = UInt64(token) << 32 | id.number & 0xFFFF_FFFF
    clock = ClockComparison(seed: seed)
  }

  /// The supervision rules for the peer.
  var supervision: Supervision { `extension`?.supervision ?? .standard }

  /// Starts the invitations of `phase`. The first is due at once.
  ///
  /// - Parameter pause: the time between two invitations. Other implementations expect 1 s.
  func invite(_ phase: Phase, at now: Instant, pause: Nanoseconds = .seconds(1)) {
    (self.phase, tries, nextTry, self.pause) = (phase, 0, now, pause)
  }

  enum Invitation { case due, exhausted }

  /// Returns whether an invitation is due, or whether twelve invitations are unanswered.
  ///
  /// On the data port, the second and third invitations follow after 250 and 500 ms: the peer has just answered on the
  /// control port, so a datagram was lost. A peer that is expected to know the extension gets all invitations on the data port
  /// and the first four on the control port 250 ms apart. Other peers may not expect that.
  func advanceInvitation(to now: Instant) -> Invitation? {
    guard phase != .established, nextTry <= now else { return nil }
    guard tries < 12 else { return .exhausted }
    tries += 1
    lastTry = now
    let isFast = phase == .invitingData ? tries <= 2 || expectsExtension : tries < 4 && expectsExtension
    nextTry = now + (isFast ? min(pause, .milliseconds(expectsExtension ? 250 : 250 * Int64(tries))) : pause)
    return .due
  }

  /// Schedules the next invitation on the data port 250 ms after the last one, and restarts the count of invitations.
  ///
  /// Called when the peer sends packets as in an established session: its answer on the data port was lost, or it still has
  /// an earlier session.
  func retrySoon(at now: Instant) {
    guard phase == .invitingData else { return }
    let next = max(now, lastTry + .milliseconds(250))
    if next < nextTry { (tries, nextTry) = (1, next) }
  }

  /// The session is established.
  ///
  /// - Parameter protocolExtension: creates the session's extension.
  func establish(at now: Instant, with protocolExtension: (any ProtocolExtension)?) {
    phase = .established
    (establishedAt, lastHeard) = (now, now)
    beginStream()
    if isInitiator { clock.begin(at: now) }
    `extension` = protocolExtension?.makeSession(seed: ~seed)
    `extension`?.established(at: now, isExpected: expectsExtension)
  }

  /// The peer's RTP stream begins, or begins again.
  func beginStream() {
    receiver = PacketReceiver(ssrc: ssrc, systemExclusiveCapacity: 4096)
    (anchor, reading, implausibleReading) = (nil, nil, nil)
  }

  /// Schedules receiver feedback after a packet: within a second; or within 100 ms if the peer waits for the feedback, or if
  /// the journal is longer than 128 octets and can be shortened.
  ///
  /// - Parameter isAwaited: whether the packet is a guard packet or contains a command that may not be followed by another
  ///   packet soon, that is, a command other than Timing Clock.
  func scheduleFeedback(at now: Instant, isAwaited: Bool) {
    var length = Nanoseconds.seconds(1)
    if isAwaited || receiver.journalLength.map({ $0 > 128 }) ?? false { length = .milliseconds(100) }
    if feedbackDue.map({ now + length < $0 }) ?? true { feedbackDue = now + length }
  }

  /// The instant at which the session is lost.
  var silenceEnds: Instant { lastHeard + supervision.lossLimit }

  /// The instant at which the peer is invited again; nil during a revival, and if this side never starts one.
  private func revivalDue(by supervision: Supervision) -> Instant? {
    guard revival == nil, supervision.isMutual || isInitiator else { return nil }
    return max(lastHeard + supervision.silenceLimit, revivalHold)
  }

  func isRevivalDue(at now: Instant) -> Bool { revivalDue(by: supervision).map { $0 <= now } ?? false }

  /// Whether the silence is long enough for another session with the peer to replace this one: half of the silence limit.
  /// The peer's silence began at about the same moment, so its invitation must not arrive before this time is over.
  func isSilent(at now: Instant) -> Bool { now - lastHeard >= supervision.halfLimit }

  /// The instant at which the session next has something to do.
  var deadline: Instant {
    guard phase == .established else { return nextTry }
    let supervision = supervision
    var earliest = lastHeard + supervision.lossLimit
    if let next = clock.next, next < earliest { earliest = next }
    if let next = `extension`?.deadline, next < earliest { earliest = next }
    if let next = feedbackDue, next < earliest { earliest = next }
    if let next = revivalDue(by: supervision), next < earliest { earliest = next }
    return earliest
  }

  /// The remote clock at `now`, extrapolated from the anchor; nil without an anchor.
  func remoteClock(at now: Instant) -> Instant? { anchor.map { $0.remote + (now - $0.local) } }

  /// See ``SessionContext/accept(reading:at:)``.
  func accept(reading remote: Instant, at local: Instant) -> Bool {
    if let reading, !Self.agree(reading, (local, remote)),
      implausibleReading.map({ Self.agree($0, (local, remote)) }) != true
    {
      implausibleReading = (local, remote)
      return false
    }
    (anchor, reading, implausibleReading) = ((local, remote), (local, remote), nil)
    return true
  }

  private static func agree(_ a: (local: Instant, remote: Instant), _ b: (local: Instant, remote: Instant)) -> Bool {
    let step = (b.remote - a.remote) - (b.local - a.local)
    return step > .seconds(-60) && step < .seconds(60)
  }
}

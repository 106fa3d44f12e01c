import MusicalTime

/// One AppleMIDI session of an ``Endpoint``.
///
///     initiator                                               answerer
///     connect, IN on control                                  IN on control, answered OK
///        ▼                                                       ▼
///     invitingControl ── NO ──▶ refused                       half open ── 15 s, or too many ──▶ dropped
///        │ OK         ── 12 IN, 1 s apart ──▶ unreachable        │
///        ▼                                                       │ IN on data, answered OK
///     invitingData ── NO, BY, 12 IN ──▶ unreachable              │
///        │                                                       ▼
///        │                                                    candidate ── 5 s ──▶ dropped
///        │ OK                                                    │ CK1, CK2, or a reply of the extension
///        └───────────────────▶ established ◀─────────────────────┘
///                                  ├── BY from either side ──▶ closed
///                                  └── silence, or another session replaces this one ──▶ lost
///
/// IN is an invitation, OK its acceptance, NO its rejection, and BY the end of a session. The packets CK0, CK1 and CK2
/// compare the clocks. In a protected session (``ProtocolExtension/mark``), the session of the initiator also is a
/// candidate before it is established. A session is lost after 60 s of silence, or after 30 s if the peer never sent CK.
/// An extension can set another limit.
///
/// If both peers invite each other, the first invitation that succeeds establishes the only session, and both peers
/// send CK0. If both invitations succeed, two peers with an extension keep the session with the lower token.
///
/// # Revival
///
/// A peer that is silent for ``Supervision/silenceLimit`` may have been restarted, or one of the two peers may have a
/// new address. The peer is therefore invited again while the session still exists: by the initiator, or by both sides
/// if the supervision is mutual.
///
/// - If the peer is heard again, only the network was interrupted, and the session continues.
/// - If the peer accepts the invitation, a new session replaces the old one on both sides. The inviting side replaces
///   the session that it revives. The invited side recognises the session to replace by its address, or by the SSRC of
///   a peer that is silent at its old address.
final class Session {
  /// The phase of a session. A candidate has the phase ``established`` and a ``candidacy``. A half-open invitation has no `Session` yet:
  /// the endpoint keeps it in ``HalfOpenInvitations``.
  enum Phase { case invitingControl, invitingData, established }

  private(set) var id: SessionID
  /// The token of the local invitation. In a session that the peer begins, no packet contains this token.
  let token: UInt32
  /// The SSRC in packets of the local peer.
  let localSSRC: UInt32
  /// The token of the peer's invitation that was accepted; nil if the peer has not invited.
  var acceptedToken: UInt32?
  /// The tokens of all invitations that led to this session, of both peers. A BY of the peer contains one of them.
  private var tokens: [UInt32] = []
  var phase = Phase.invitingControl
  /// The address of the remote control port.
  let control: SocketAddress
  /// The address from which packets of the remote control port come. It differs from ``control`` if the peer has several
  /// addresses and answered the invitation from another one.
  var controlSource: SocketAddress
  /// The address of the remote data port.
  var data: SocketAddress
  /// The local address to which the peer sends; nil as long as it is unknown. The peer knows the session by this address,
  /// so packets to the peer leave from this address. The host alone might choose another address meanwhile, for example
  /// after a connection to a second network or with a new temporary IPv6 address (RFC 8981).
  var local: SocketAddress?
  /// The SSRC in packets from the remote data port; 0 as long as it is unknown.
  var ssrc: UInt32 = 0
  /// The SSRC in packets from the remote control port. It differs from ``ssrc`` if each remote port has an SSRC of its
  /// own (pymidi 0.5.0).
  var controlSSRC: UInt32 = 0
  /// The name of the peer; nil if it is unknown.
  var name: String?
  /// Whether the local peer is the initiator: it sends the invitation that begins the session, or the session has replaced
  /// a local invitation (``adopt(_:)``).
  private(set) var isInitiator: Bool
  /// The state of a candidate; nil if the peer has proved that it receives at its address.
  var candidacy: Candidacy?
  /// The events of the extension of a candidate, which are reported after the proof. Not part of ``candidacy``, which every packet reads.
  var candidateEvents: [ExtensionEvent] = []
  /// Whether the session is protected: see ``ProtocolExtension/mark``.
  let isProtected: Bool
  /// Whether both peers keep this session if two protected sessions between them began at the same time. The extension sets this value
  /// when the peer has proved its identity (``SessionContext/verifyPeer(as:isPreferred:at:)``). The value is false in an unprotected
  /// session, because there the tokens determine which session is kept.
  var isPreferred = false
  /// Whether the peer is expected to know the extension of the endpoint.
  var expectsExtension = false
  /// The number after the name in the invitation or the answer of the peer (``SessionCommand/mark``); nil if there is none.
  var mark: UInt32?
  /// Whether ``mark`` announces the extension of the endpoint (``ProtocolExtension/announcement``). False until the session is established
  /// or is a candidate.
  private(set) var announcesExtension = false
  /// The state of the extension; nil until the session is established or is a candidate, and in an endpoint without extension.
  var `extension`: (any SessionExtension)?
  /// The lasting identity of the peer, which the extension determines; nil as long as it is unknown.
  var peerIdentity: UInt64?

  /// The session that this one is meant to replace if it is a revival; otherwise nil.
  var sessionToRevive: SessionID?
  /// The revival that is meant to replace this session; nil if there is none.
  var revival: Session?
  /// The instant before which no revival starts.
  var revivalHold = Instant(nanoseconds: .min)
  /// Whether the machine was suspended during the session. The local clock stood still meanwhile, so the clock of the
  /// peer seems to have stepped. A new session has to replace this one even if the peer is heard. Clock measurements
  /// are not reported any more.
  var isOutdated = false
  /// The instant at which the session was established, or at which its candidacy began.
  private(set) var establishedAt = Instant(nanoseconds: 0)

  /// The source under which ``SessionTable/session(awaitedFrom:)`` finds the session; nil if the table does not await
  /// packets of it.
  var awaitedSource: SessionTable.Source?

  /// The index in the heap of ``Deadlines``, and the deadline that determines this index.
  var heapIndex: Int?
  var scheduledDeadline = Instant.distantFuture

  /// The number of invitations sent in this phase.
  private var tries = 0
  /// The instant at which the last invitation was sent.
  private var lastTry = Instant(nanoseconds: 0)
  /// The instant at which the next invitation is due.
  private var nextTry = Instant.distantFuture
  /// The regular time between two invitations.
  private var pause = Nanoseconds.seconds(1)
  /// The arrival of the newest valid datagram of the peer.
  var lastHeard = Instant(nanoseconds: 0)
  /// Whether the peer has answered a CK0 of the local peer.
  var answersClock = false
  /// Whether the peer has sent a valid clock packet.
  var hasSentClock = false
  /// The instant at which receiver feedback (RS) is due; nil if none is due.
  var feedbackDue: Instant?
  /// Whether ``Endpoint/Output/peerSendsJournals(_:)`` was reported.
  var hasReportedJournals = false
  /// The receiver of the peer's RTP stream; nil until the first packet, and if another thread decodes the packets.
  var receiver: StreamReceiver?
  /// The highest sequence number of the peer's RTP stream; 0 before the first packet.
  var highestSequence: UInt16 = 0
  /// The number of missing packets of the peer's RTP stream.
  var lost: Int64 = 0
  /// The length of the recovery journal of the newest packet in octets; nil if the packet has none.
  var journalLength: Int?
  /// The CK exchanges.
  var clock: ClockComparison
  /// The seed of ``clock``. Its bitwise complement is the seed of ``extension``, because equal seeds give equal intervals
  /// (``Dither``).
  private let seed: UInt64
  /// A pair of readings of the local and the remote clock. It determines the upper bits of RTP time stamps.
  var anchor: (local: Instant, remote: Instant)?
  /// The newest accepted pair of readings from clock packets.
  private var reading: (local: Instant, remote: Instant)?
  /// The newest pair of readings that was rejected as implausible, if no pair was accepted after it.
  private var implausibleReading: (local: Instant, remote: Instant)?

  init(
    id: SessionID, token: UInt32, localSSRC: UInt32, control: SocketAddress, data: SocketAddress, isInitiator: Bool,
    isProtected: Bool
  ) {
    self.isProtected = isProtected
    (self.id, self.token, self.localSSRC, self.control, self.data) = (id, token, localSSRC, control, data)
    self.isInitiator = isInitiator
    if isInitiator { tokens = [token] }
    controlSource = control
    // The random token makes the seeds of sessions differ. The sessions therefore do not send in step with each other.
    seed = UInt64(token) << 32 | id.number & 0xFFFF_FFFF
    clock = ClockComparison(seed: seed)
  }

  /// Records the accepted invitation of the peer. PipeWire and midimonster use another token for each port.
  func accept(token: UInt32, onControlPort controlToken: UInt32) {
    acceptedToken = token
    tokens += [token, controlToken]
  }

  /// Whether a BY ends this session: its token is that of an invitation to the session, or the BY has none.
  func isNamed(by bye: SessionCommand) -> Bool { bye.token == 0 || tokens.contains(bye.token) }

  /// The supervision rules for the peer.
  var supervision: Supervision { `extension`?.supervision ?? .standard }

  /// Starts the invitations of `phase`. The first is due at once.
  ///
  /// - Parameter pause: the time between two invitations. Other implementations expect 1 s.
  func invite(_ phase: Phase, at now: Instant, pause: Nanoseconds = .seconds(1)) {
    (self.phase, tries, nextTry, self.pause) = (phase, 0, now, pause)
  }

  /// The result of ``advanceInvitation(to:)``.
  enum Invitation {
    /// An invitation is due.
    case due
    /// Twelve invitations are unanswered.
    case exhausted
  }

  /// Returns the action that the invitation of the peer requires at `now`; nil if nothing is due. Schedules the next
  /// invitation.
  ///
  /// On the data port, the second invitation follows after 250 ms, and the third 500 ms later: the peer has just
  /// answered on the control port, so a datagram must have been lost. A peer that is expected to know the extension gets
  /// all invitations on the data port, and the first four on the control port, 250 ms apart. Other peers may not expect
  /// such short intervals.
  func advanceInvitation(to now: Instant) -> Invitation? {
    guard phase != .established, nextTry <= now else { return nil }
    guard tries < 12 else { return .exhausted }
    tries += 1
    lastTry = now
    let isFast = phase == .invitingData ? tries <= 2 || expectsExtension : tries < 4 && expectsExtension
    // Without the extension, 250 ms after the first invitation and 500 ms after the second.
    let fastPause = Nanoseconds.milliseconds(expectsExtension ? 250 : 250 * Int64(tries))
    nextTry = now + (isFast ? min(pause, fastPause) : pause)
    return .due
  }

  /// Schedules the next invitation on the data port 250 ms after the last one, and restarts the count of invitations.
  ///
  /// Called when the peer sends packets as in an established session: its answer on the data port was lost, or it still
  /// has an earlier session.
  func retrySoon(at now: Instant) {
    guard phase == .invitingData else { return }
    let next = max(now, lastTry + .milliseconds(250))
    // The last invitation counts as the first.
    if next < nextTry { (tries, nextTry) = (1, next) }
  }

  /// Establishes the session: starts to receive the peer's stream, starts the clock packets if the local peer is the
  /// initiator, and creates the session's extension by `protocolExtension`.
  func establish(at now: Instant, with protocolExtension: (any ProtocolExtension)?) {
    phase = .established
    restart(at: now)
    beginStream()
    if isInitiator { clock.begin(at: now) }
    `extension` = protocolExtension?.makeSession(seed: ~seed)
    announcesExtension = mark.map { protocolExtension?.isAnnouncement($0) == true } ?? false
    // An unprotected session can be with any device at the address. Packets of the extension go only to a peer that has announced the
    // extension: other devices report them as unknown commands.
    let isExpected = isProtected ? expectsExtension : announcesExtension
    `extension`?.established(at: now, isExpected: isExpected, isProtected: isProtected)
  }

  /// Restarts the age and the silence of the session at `now`.
  func restart(at now: Instant) { (establishedAt, lastHeard) = (now, now) }

  /// Takes the identifier and the role of initiator from `invitation`, by which the local peer invites the same peer.
  func adopt(_ invitation: Session) {
    (id, isInitiator) = (invitation.id, true)
    tokens += invitation.tokens
  }

  /// Takes the invitation of the peer from `candidate`, which gives way to this session.
  func include(_ candidate: Session) {
    acceptedToken = acceptedToken ?? candidate.acceptedToken
    tokens += candidate.tokens
  }

  /// Prepares for a new RTP stream of the peer.
  func beginStream() {
    receiver = nil
    (highestSequence, lost, journalLength) = (0, 0, nil)
    (anchor, reading, implausibleReading) = (nil, nil, nil)
  }

  /// Schedules receiver feedback after a packet. The delay is at most 100 ms if the peer waits for the feedback, or if the
  /// journal of the packet is longer than 128 octets, because feedback shortens the journal. Otherwise, the delay is at most
  /// a second.
  ///
  /// - Parameter isAwaited: whether the peer waits for the feedback. It does after a guard packet, and after a packet
  ///   with a message other than Timing Clock or System Exclusive, because possibly no other packet follows soon.
  func scheduleFeedback(at now: Instant, isAwaited: Bool) {
    var delay = Nanoseconds.seconds(1)
    if isAwaited || journalLength.map({ $0 > 128 }) ?? false { delay = .milliseconds(100) }
    if feedbackDue.map({ now + delay < $0 }) ?? true { feedbackDue = now + delay }
  }

  /// The instant at which the session is lost if the peer remains silent.
  ///
  /// A device that never sends CK may have left without a trace, and another host may have got its address. The session with
  /// such a device is therefore lost after 30 s already, so that the other host does not get the rhythm for longer.
  var silenceEnds: Instant {
    let limit = supervision.lossLimit
    return lastHeard + (hasSentClock ? limit : min(limit, .seconds(30)))
  }

  /// Returns the instant at which a revival starts; nil during a revival, and if the local peer never starts one.
  private func revivalDue(by supervision: Supervision) -> Instant? {
    guard revival == nil, supervision.isMutual || isInitiator else { return nil }
    return max(lastHeard + supervision.silenceLimit, revivalHold)
  }

  func isRevivalDue(at now: Instant) -> Bool { revivalDue(by: supervision).map { $0 <= now } ?? false }

  /// Whether the peer has been silent for half of the silence limit. Another session with the same peer may then
  /// replace this one.
  ///
  /// If the network was interrupted, the silence began at about the same moment on both sides. The peer sends an
  /// invitation only after the whole silence limit. When that invitation arrives, the peer has therefore been silent here
  /// for more than half of the limit.
  func isSilent(at now: Instant) -> Bool { now - lastHeard >= supervision.halfLimit }

  /// The instant at which the session next has something to do.
  var deadline: Instant {
    guard phase == .established else { return nextTry }
    let supervision = supervision
    var earliest = candidacy?.expires ?? silenceEnds
    if let next = clock.next, next < earliest { earliest = next }
    if let next = `extension`?.deadline, next < earliest { earliest = next }
    guard candidacy == nil else { return earliest }
    if let next = feedbackDue, next < earliest { earliest = next }
    if let next = revivalDue(by: supervision), next < earliest { earliest = next }
    return earliest
  }

  /// The remote clock at `now`, extrapolated from the anchor; nil without an anchor.
  func remoteClock(at now: Instant) -> Instant? { anchor.map { $0.remote + (now - $0.local) } }

  /// Returns the instant of a time stamp in a packet that arrived at `arrival`. Only the lower 32 bits of the number of 100 us in
  /// `stamp` are used. The upper bits are chosen so that the instant is as close as possible to the remote clock at `arrival`.
  /// Without an anchor, returns `stamp` unchanged.
  func complete(_ stamp: Instant, arrivedAt arrival: Instant) -> Instant {
    guard let reference = remoteClock(at: arrival)?.hundredMicroseconds else { return stamp }
    let difference = Int32(truncatingIfNeeded: stamp.hundredMicroseconds &- reference)
    return Instant(hundredMicroseconds: reference + Int64(difference))
  }

  /// See ``SessionContext/accept(reading:at:)``.
  func accept(reading remote: Instant, at local: Instant) -> Bool {
    // Rejects a reading that agrees neither with the newest accepted reading nor with the reading that was just rejected.
    if let reading, !Self.agree(reading, (local, remote)),
      implausibleReading.map({ Self.agree($0, (local, remote)) }) != true
    {
      implausibleReading = (local, remote)
      return false
    }
    (anchor, reading, implausibleReading) = ((local, remote), (local, remote), nil)
    return true
  }

  /// Whether both clocks advanced by the same time between two pairs of readings, with a tolerance of a minute.
  private static func agree(_ a: (local: Instant, remote: Instant), _ b: (local: Instant, remote: Instant)) -> Bool {
    // The change of the clock offset.
    let step = (b.remote - a.remote) - (b.local - a.local)
    return step > .seconds(-60) && step < .seconds(60)
  }
}

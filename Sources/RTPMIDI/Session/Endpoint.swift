import BasicContainers
import MusicalTime

/// The AppleMIDI sessions of one local pair of ports, without I/O: datagrams and instants in, ``Output`` out.
///
/// The owner of an endpoint
///
/// - passes each received datagram to ``receive(_:from:to:port:at:answeredAt:isAuthentic:)``,
/// - calls ``advance(to:)`` at ``nextDeadline``,
/// - after either call, executes the outputs that ``drain()`` returns.
///
/// The endpoint sends no RTP packets: the ``PacketSender`` of a session, with the SSRC ``SessionInfo/localSSRC``, belongs to
/// the sending thread. The endpoint itself belongs to one thread.
///
/// Each session has a random SSRC of its own, so that a peer cannot use the SSRC that it knows from its session to forge
/// packets to another peer.
///
/// For accuracy, the receiving thread should reply to CK0 itself (``ClockPacket/reply(from:sentAt:)``). It also passes
/// the packet and the instant of the reply to the endpoint. The packet shows that the peer is alive, and contains the
/// instant at which the peer sent it.
///
/// A ``ProtocolExtension`` adds packets and supervision rules of its own. Without one, this is a complete standard
/// endpoint.
///
/// Limits:
///
/// - ``sessionLimit`` sessions. The last 100 places are reserved for hosts without a session. If there is no place, an
///   invitation is answered with NO.
/// - ``sessionsPerHost`` sessions with one host, unless the local peer begins them or the address is a loopback address.
/// - 64 candidates (``Candidacy``), 4 of them per host. The limit per host does not apply to loopback addresses.
/// - 64 half-open invitations (accepted on the control port only), 16 of them per host. A further one displaces the
///   oldest.
/// - System Exclusive messages of ``systemExclusiveCapacity`` data octets. Longer ones are dropped and counted
///   (``ReceptionStatistics/droppedSystemExclusives``).
/// - Names of 63 octets.
///
/// ``counters`` counts dropped datagrams.
///
/// Real-time: not safe.
public final class Endpoint {
  /// The maximum number of sessions.
  public static var sessionLimit: Int { 1100 }
  /// The maximum number of octets that ``SessionExtension/seal(_:port:at:)`` appends.
  private static var sealLength: Int { 16 }
  /// The maximum number of data octets of a received System Exclusive.
  public static var systemExclusiveCapacity: Int { 1060 }

  /// The name of the local peer.
  public let name: String
  /// The extension; nil for standard RTP-MIDI.
  public let protocolExtension: (any ProtocolExtension)?
  /// Returns whether a peer may begin a session, by its name and the address of its control port. By default every peer
  /// may. The endpoint does not call this function for peers that it has invited, or that are already in session.
  public var admits: (_ name: String?, _ address: SocketAddress) -> Bool = { _, _ in true }
  /// The maximum number of sessions with one host: further invitations of the host are refused. The local peer sends
  /// the rhythm once per session, so a host with many sessions would get it many times. Loopback addresses are not
  /// limited.
  public var sessionsPerHost = 8
  /// The numbers of received and dropped datagrams.
  public internal(set) var counters = DatagramCounters()

  let table = SessionTable()
  /// The invitations that were accepted on the control port only.
  var halfOpen = HalfOpenInvitations()
  var declined = DeclinedAddresses()
  /// The session of the datagram being processed.
  var currentSession: Session?
  /// The local address to which the datagram being processed was sent; nil if it is unknown. Replies leave from this
  /// address.
  var arrivalAddress: SocketAddress?
  /// Whether the datagram being processed is authentic.
  var isAuthentic = false
  /// The latest instant that the owner has passed to the endpoint.
  var latest = Instant(nanoseconds: .min)
  /// The outputs since the last call of ``drain()``.
  var outputs: [Output] = []
  /// The number of the newest session.
  private var lastNumber: UInt64 = 0
  private var random: any RandomNumberGenerator

  /// Creates an endpoint without sessions.
  ///
  /// - Parameters:
  ///   - name: the name of the local peer. At most 48 octets of UTF-8 are sent.
  ///   - random: the source of the SSRCs and of the tokens. Unpredictable outside tests.
  ///   - protocolExtension: the extension; nil for standard RTP-MIDI.
  public init(
    name: String, random: any RandomNumberGenerator, protocolExtension: (any ProtocolExtension)? = nil
  ) {
    self.random = random
    (self.name, self.protocolExtension) = (name, protocolExtension)
  }

  /// Returns whether the host of an address is exempt: sessions with it are unprotected although the extension has a
  /// mark, because the device does not know the extension. By default, no host is exempt.
  public var exempts: (_ address: SocketAddress) -> Bool = { _ in false }

  /// Whether a session with this address is protected: see ``ProtocolExtension/mark``.
  public func protects(_ address: SocketAddress) -> Bool { protocolExtension?.mark != nil && !exempts(address) }

  /// The mark in the invitations and answers to an address; nil if sessions with this address are unprotected.
  func mark(for address: SocketAddress) -> UInt32? { protects(address) ? protocolExtension?.mark : nil }

  /// The mark in an invitation or in an answer; nil if `command` contains no mark of the extension.
  func mark(of command: SessionCommand) -> UInt32? {
    command.mark.flatMap { protocolExtension?.isMark($0) == true ? $0 : nil }
  }

  /// The number after the name in the invitations and the answers to an address: the mark, or else the announcement of the extension; nil
  /// if there is neither.
  func numberAfterName(for address: SocketAddress) -> UInt32? { mark(for: address) ?? protocolExtension?.announcement }

  /// The number of established sessions.
  public var establishedCount: Int { table.establishedCount }

  /// The number of invitations of the local peer in progress, without revivals.
  public var invitationCount: Int { table.all.count - table.establishedCount }

  /// The number of sessions, including invitations.
  package var sessionCount: Int { table.all.count }
  /// The number of half-open invitations.
  package var halfOpenCount: Int { halfOpen.count }
  /// The number of candidates.
  package var candidateCount: Int { table.candidates.count }
  /// The number of sessions, revivals and candidates with a deadline.
  package var waitingCount: Int { table.waitingCount }

  /// The synchronization source identifier (SSRC) in the packets that the local peer sends in this session; nil if there is
  /// no such session.
  public func localSSRC(of id: SessionID) -> UInt32? { table[id]?.localSSRC }

  /// The clock of the peer at `now`; nil if there is no such session, or if no packet has shown the clock yet.
  public func remoteClock(of id: SessionID, at now: Instant) -> Instant? { table[id]?.remoteClock(at: now) }

  /// The reception statistics of an established session; nil if there is no such session, or if the endpoint has decoded no
  /// packet of it.
  public func statistics(of id: SessionID) -> ReceptionStatistics? {
    guard let session = table[id], session.phase == .established else { return nil }
    return session.receiver?.packets.statistics
  }

  /// The number of missing packets of the peer's RTP stream; 0 if there is no such session.
  public func lostPackets(of id: SessionID) -> Int64 { table[id]?.lost ?? 0 }

  /// Invites the peer at `control` and `data`. If there is already a session with this control port, returns that
  /// session.
  ///
  /// - Parameter expectsExtension: whether the peer is expected to know the ``ProtocolExtension``, because discovery has announced
  ///   the extension or the peer used it in an earlier session. The invitations are then closer together.
  /// - Throws: ``TooManySessions`` if there are already ``sessionLimit`` sessions.
  public func connect(
    to control: SocketAddress, data: SocketAddress, expectsExtension: Bool = false, at now: Instant
  ) throws(TooManySessions) -> SessionID {
    if let session = table.session(at: control) { return session.id }
    if let candidate = table.candidates.first(where: { $0.isInitiator && $0.control == control }) {
      return candidate.id
    }
    latest = max(latest, now)
    guard table.all.count < Self.sessionLimit else { throw TooManySessions(limit: Self.sessionLimit) }
    let session = makeSession(control: control, data: data, isInitiator: true)
    session.expectsExtension = expectsExtension
    table.insert(session)
    session.invite(.invitingControl, at: now)
    advance(session, to: now)
    return session.id
  }

  /// Ends a session with BY. Does nothing if the session has already ended.
  public func close(_ id: SessionID, at now: Instant) {
    guard let session = table[id] else { return }
    latest = max(latest, now)
    sendBye(to: session)
    end(session, .closed(id))
  }

  /// Ends all sessions with BY.
  public func closeAll(at now: Instant) {
    for session in table.all { close(session.id, at: now) }
    for candidate in table.candidates {
      sendBye(to: candidate)
      table.remove(candidate)
    }
    halfOpen.removeAll()
  }

  /// The instant at which ``advance(to:)`` must be called next; nil if nothing is scheduled.
  public var nextDeadline: Instant? {
    guard let first = table.earliestDeadline else { return halfOpen.deadline }
    return halfOpen.deadline.map { min($0, first) } ?? first
  }

  /// Does what is due at `now`: invitations, clock packets, feedback, time-outs and the tasks of the extension. Read
  /// the clock immediately before the call.
  public func advance(to now: Instant) {
    latest = max(latest, now)
    counters.forgottenInvitations += UInt64(halfOpen.expire(at: now))
    while let due = table.earliestDeadline, due <= now, let session = table.due {
      advance(session, to: now)
    }
  }

  /// Returns and removes the outputs since the last call, in order.
  public func drain() -> [Output] {
    var drained: [Output] = []
    swap(&drained, &outputs)
    return drained
  }

  /// Does what is due in one session, revival or candidate. Afterwards, its deadline is later than `now`.
  func advance(_ session: Session, to now: Instant) {
    if let candidacy = session.candidacy {
      advance(candidate: session, expiresAt: candidacy.expires, to: now)
    } else if session.phase == .established {
      advanceEstablished(session, to: now)
    } else {
      advanceInvitation(of: session, to: now)
    }
    // The session may have ended.
    if table.session(withToken: session.token) === session { table.schedule(session) }
  }

  /// Does what is due in an established session: loss, revival, clock packets, tasks of the extension, receiver
  /// feedback.
  private func advanceEstablished(_ session: Session, to now: Instant) {
    if session.silenceEnds <= now {
      // The peer may still receive packets. If the supervision is mutual, the peer revives the session by itself, and
      // would understand BY as its end.
      if !session.supervision.isMutual { sendBye(to: session) }
      return end(session, .lost(session.id))
    }
    if session.isRevivalDue(at: now) { revive(session, at: now) }
    guard sendRequests(of: session, at: now) else { return end(session, .lost(session.id)) }
    if let due = session.feedbackDue, due <= now {
      session.feedbackDue = nil
      let feedback = ReceiverFeedback(ssrc: session.localSSRC, sequence: session.highestSequence)
      send(to: session.control, from: session.local, .control, sealedBy: session) { feedback.append(to: &$0) }
    }
  }

  /// Sends the CK0 that is due, and does what is due in the extension.
  ///
  /// - Returns: false if the peer is out of reach.
  func sendRequests(of session: Session, at now: Instant) -> Bool {
    if session.clock.advance(to: now) {
      outputs.append(.clockPacket(session.id, to: session.data, from: session.local))
    }
    return session.extension?.advance(to: now, in: SessionContext(endpoint: self, session: session)) ?? true
  }

  /// Sends the invitation that is due, or ends a session or a revival after the last unanswered invitation.
  private func advanceInvitation(of session: Session, to now: Instant) {
    switch session.advanceInvitation(to: now) {
    case .due:
      let port: Port = session.phase == .invitingControl ? .control : .data
      let address = port == .control ? session.control : session.data
      // The host chooses the local address of the first invitation. The answer determines the local address of the session.
      let invitation = SessionCommand(
        .invitation, token: session.token, ssrc: session.localSSRC, name: name,
        mark: numberAfterName(for: session.control))
      send(invitation, to: address, from: session.local, port)
    case .exhausted:
      // The session that a revival is to replace still exists. If its peer is still silent, the next revival starts at once.
      if session.sessionToRevive != nil { return cancel(session, nextAt: now) }
      // The peer has accepted on its control port. BY ends the half-open invitation there.
      if session.phase == .invitingData { sendBye(to: session) }
      end(session, .unreachable(session.id))
    case nil: break
    }
  }

  /// Creates a session, which is not in the table yet.
  ///
  /// - Parameter localSSRC: the SSRC that the peer already knows, from the answer to its invitation or from the session that a
  ///   revival is to replace; nil to choose it by ``localSSRC(for:)``.
  func makeSession(
    control: SocketAddress, data: SocketAddress, localSSRC: UInt32? = nil, isInitiator: Bool
  ) -> Session {
    lastNumber += 1
    var token: UInt32
    repeat { token = UInt32.random(in: 0...UInt32.max, using: &random) } while table.session(withToken: token) != nil
    return Session(
      id: SessionID(number: lastNumber), token: token, localSSRC: localSSRC ?? self.localSSRC(for: control),
      control: control, data: data, isInitiator: isInitiator, isProtected: protects(control))
  }

  /// A random number.
  func randomNumber() -> UInt64 { random.next() }

  /// The local SSRC for packets to the peer with this control port: the SSRC of an invitation in progress, in either
  /// direction; otherwise a new SSRC. A candidate does not use the SSRC of an established session, because the address of
  /// the candidate may be forged. The real peer at this address would answer packets with the SSRC of its session, and the
  /// answers would establish the forged session. (`receiveControlInvitation` makes two exceptions: shortly after the
  /// established session has begun, and after a silence.) A protected session shares its SSRC with no other session.
  func localSSRC(for control: SocketAddress) -> UInt32 {
    if !protects(control) {
      let session = table.session(at: control)
      let invitation = session.flatMap { $0.phase == .established ? $0.revival : $0 }
      if let known = invitation?.localSSRC ?? localSSRCOfInvitation(from: control) { return known }
    }
    return UInt32.random(in: 1...UInt32.max, using: &random)
  }

  /// The local SSRC in the answers to the newest half-open invitation from this control port. Without one, the local SSRC
  /// of the newest candidate with this control port; nil if there is none either.
  func localSSRCOfInvitation(from control: SocketAddress) -> UInt32? {
    halfOpen.localSSRC(for: control) ?? table.candidates.last { $0.control == control }?.localSSRC
  }

  /// Removes a session and its revival, and reports `output` as the reason.
  func end(_ session: Session, _ output: Output) {
    if let revival = session.revival { table.remove(revival) }
    session.revival = nil
    table.remove(session)
    outputs.append(output)
  }

  /// Sends BY on the control port and, if the session is established and the supervision is not mutual, on the data
  /// port.
  private func sendBye(to session: Session) {
    let token = session.acceptedToken ?? session.token
    let bye = SessionCommand(.bye, token: token, ssrc: session.localSSRC)
    send(bye, to: session.control, from: session.local, .control, sealedBy: session)
    // rtpmidid and PipeWire end a session only after BY on both ports.
    guard session.phase == .established, !session.supervision.isMutual else { return }
    send(bye, to: session.data, from: session.local, .data, sealedBy: session)
  }

  func send(
    _ command: SessionCommand, to address: SocketAddress, from local: SocketAddress?, _ port: Port,
    sealedBy session: Session? = nil
  ) {
    send(to: address, from: local, port, sealedBy: session) { command.append(to: &$0) }
  }

  /// Sends the datagram that `encode` appends to an empty packet. The packet has room for 84 octets, and for those that the
  /// extension appends. Sends nothing if `encode` returns false.
  ///
  /// - Parameter session: the session whose extension makes the datagram authentic, if the session is protected; nil for a
  ///   datagram that is never authentic.
  func send(
    to address: SocketAddress, from local: SocketAddress?, _ port: Port, sealedBy session: Session? = nil,
    _ encode: (inout RigidArray<UInt8>) -> Bool
  ) {
    var packet = RigidArray<UInt8>(capacity: SessionCommand.longest + Self.sealLength)
    guard encode(&packet) else { return }
    if let session, session.isProtected { session.extension?.seal(&packet, port: port, at: latest) }
    var datagram: [UInt8] = []
    datagram.reserveCapacity(packet.count)
    for index in 0..<packet.count { datagram.append(packet[index]) }
    outputs.append(.send(datagram, to: address, from: local, port))
  }
}

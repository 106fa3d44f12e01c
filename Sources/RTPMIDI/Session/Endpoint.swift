import BasicContainers
import MusicalTime

/// All AppleMIDI sessions of one local pair of ports, without any I/O: datagrams and instants in, ``Output`` out.
///
/// Whoever owns it gives it each datagram (``receive(_:from:port:at:answeredAt:)``), calls ``advance(to:)`` when
/// ``nextDeadline`` has come, and after either does what ``drain()`` returns. It sends no RTP: the ``PacketSender`` of
/// a session belongs to the thread that sends, under ``ssrc``. It belongs to one thread itself.
///
/// CK0s and probe requests are best answered by the thread that receives them (``ClockPacket/reply(from:sentAt:)``,
/// ``ClockProbe/answer(from:identity:pace:receivedAt:sentAt:)``). They are handed on all the same, with the instant at
/// which the answer left: they show that the peer lives, and when the request left there.
///
/// Bounds: ``sessionLimit`` sessions, the last 100 of them kept for hosts that have none, beyond which invitations are
/// answered NO; 64 half-open invitations, 16 of one host, of which the oldest is forgotten; System Exclusives of 4096
/// data octets; names of 63 octets. What is dropped is counted in ``counters``.
///
/// Real-time: not safe.
public final class Endpoint {
  /// The most sessions at a time.
  public static var sessionLimit: Int { 1100 }

  /// The own synchronization source identifier, in every packet this peer sends.
  public let ssrc: UInt32
  /// What this peer calls itself.
  public let name: String
  /// What Tutti peers know this peer by, told in probes.
  public let identity: UInt64
  /// Who may begin a session with this peer, by the name it gives itself and the address of its control port: everybody,
  /// unless set. Whom this peer invites is not asked, nor who is in session with it.
  public var admits: (_ name: String?, _ address: SocketAddress) -> Bool = { _, _ in true }
  public internal(set) var counters = Counters()

  var table = SessionTable()
  var halfOpen = HalfOpenInvitations()
  var declined = DeclinedAddresses()
  /// In session with whom the datagram came that is being taken.
  var speaker: Session?
  var outputs: [Output] = []
  private var lastNumber: UInt64 = 0
  private var random: any RandomNumberGenerator

  /// An endpoint without sessions.
  ///
  /// - Parameters:
  ///   - name: for people; its first 63 octets of UTF-8 are sent.
  ///   - random: where ``ssrc`` and the tokens come from: unpredictable outside tests.
  public init(name: String, identity: UInt64, random: any RandomNumberGenerator) {
    self.random = random
    (self.name, self.identity) = (name, identity)
    ssrc = UInt32.random(in: 1...UInt32.max, using: &self.random)
  }

  /// How many sessions are established.
  public var establishedCount: Int { table.establishedCount }

  /// How many sessions there are, those that are being invited included.
  package var sessionCount: Int { table.all.count }
  package var halfOpenCount: Int { halfOpen.count }
  /// How many have a deadline: sessions and their revivals.
  package var waitingCount: Int { table.deadlines.count }

  /// How many peers there are as far as is known, in session or not. Where there are many each asks each for its clock as
  /// seldom as if it was in session with all: sessions that stand since there were few are no better off.
  public var crowd = 0
  private var mostSessions: Int { max(establishedCount, crowd) }
  /// What probes are to say of ``ClockProbe/pace``.
  public var pace: UInt16 { Recognition.pace(sessions: mostSessions) }
  /// The shortest interval between the probes of one session.
  var floor: Nanoseconds { Recognition.floor(sessions: mostSessions) }

  /// What became of the packets of an established session; nil when it is none.
  public func statistics(of id: SessionID) -> ReceptionStatistics? {
    table[id].flatMap { $0.phase == .established ? $0.receiver.statistics : nil }
  }

  /// Invites the peer at `control` and `data`. When there is a session with that control port already, it is that one.
  ///
  /// - Parameter expectsTutti: whether a Tutti peer was, or announces itself, there: then it is asked for longer whether it
  ///   is one, as on a lossy network three questions may not come through.
  public func connect(
    to control: SocketAddress, data: SocketAddress, expectsTutti: Bool = false, at now: Instant
  ) throws(TooManySessions) -> SessionID {
    if let session = table.session(at: control) { return session.id }
    guard table.all.count < Self.sessionLimit else { throw TooManySessions(limit: Self.sessionLimit) }
    let session = makeSession(control: control, data: data, isInitiator: true)
    session.expectsTutti = expectsTutti
    table.insert(session)
    session.invite(.invitingControl, at: now)
    advance(session, to: now)
    return session.id
  }

  /// Ends a session with BY. Nothing happens when it has ended already.
  public func close(_ id: SessionID, at now: Instant) {
    guard let session = table[id] else { return }
    sendBye(to: session)
    end(session, .closed(id))
  }

  /// Ends all sessions with BY.
  public func closeAll(at now: Instant) {
    for session in table.all { close(session.id, at: now) }
    halfOpen.removeAll()
  }

  /// When ``advance(to:)`` is to be called next; nil when there is nothing to wait for.
  public var nextDeadline: Instant? {
    guard let first = table.deadlines.earliest else { return halfOpen.deadline }
    return halfOpen.deadline.map { min($0, first) } ?? first
  }

  /// Does what is due at `now`: invitations, clock packets, probes, feedback, time-outs. Read the clock right before.
  public func advance(to now: Instant) {
    counters.forgottenInvitations += UInt64(halfOpen.expire(at: now))
    while let due = table.deadlines.earliest, due <= now, let session = table.deadlines.first {
      advance(session, to: now)
    }
  }

  /// What there is to do and to tell since the last call, in order.
  public func drain() -> [Output] {
    guard !outputs.isEmpty else { return [] }
    defer { outputs = [] }
    return outputs
  }

  /// Does what is due of one session, after which its deadline lies behind `now`.
  func advance(_ session: Session, to now: Instant) {
    if session.phase == .established {
      advanceEstablished(session, to: now)
    } else {
      advanceInvitation(of: session, to: now)
    }
    // It may have ended.
    if table.session(withToken: session.token) === session { table.schedule(session) }
  }

  private func advanceEstablished(_ session: Session, to now: Instant) {
    if session.silenceEnds <= now {
      // The peer may still hear what it can no longer say. A Tutti peer that does tries to revive the session by itself,
      // and would take a BY for a farewell.
      if !session.recognition.isTutti { sendBye(to: session) }
      return end(session, .lost(session.id))
    }
    if session.isRevivalDue(at: now) { revive(session, at: now) }
    if session.clock.advance(to: now) { outputs.append(.clockPacket(session.id, to: session.data)) }
    switch session.recognition.advance(to: now, floor: floor) {
    case .request: outputs.append(.probe(session.id, to: session.data))
    case .foreign:
      if session.isCutOff { return end(session, .lost(session.id)) }
      outputs.append(.foreign(session.id))
    case nil: break
    }
    if let due = session.feedbackDue, due <= now {
      session.feedbackDue = nil
      let feedback = ReceiverFeedback(ssrc: ssrc, sequence: session.receiver.highestSequence ?? 0)
      send(to: session.control, .control) { feedback.append(to: &$0) }
    }
  }

  private func advanceInvitation(of session: Session, to now: Instant) {
    switch session.advanceInvitation(to: now) {
    case .due:
      let port: Port = session.phase == .invitingControl ? .control : .data
      let address = port == .control ? session.control : session.data
      send(SessionCommand(.invitation, token: session.token, ssrc: ssrc, name: name), to: address, port)
    case .exhausted:
      if session.revives != nil { return abandon(session, at: now) }
      if session.phase == .invitingData { sendBye(to: session) }
      end(session, .unreachable(session.id))
    case nil: break
    }
  }

  /// A session, in no table yet.
  func makeSession(control: SocketAddress, data: SocketAddress, isInitiator: Bool) -> Session {
    lastNumber += 1
    var token: UInt32
    repeat { token = UInt32.random(in: 0...UInt32.max, using: &random) } while table.session(withToken: token) != nil
    return Session(
      id: SessionID(number: lastNumber), token: token, control: control, data: data, isInitiator: isInitiator)
  }

  func end(_ session: Session, _ output: Output) {
    if let revival = session.revival { table.remove(revival) }
    session.revival = nil
    table.remove(session)
    outputs.append(output)
  }

  private func sendBye(to session: Session) {
    let token = session.acceptedToken ?? session.token
    let bye = SessionCommand(.bye, token: token, ssrc: ssrc)
    send(bye, to: session.control, .control)
    // rtpmidid and PipeWire keep a peer that says so on one port alone.
    if session.phase == .established, !session.recognition.isTutti { send(bye, to: session.data, .data) }
  }

  func send(_ command: SessionCommand, to address: SocketAddress, _ port: Port) {
    send(to: address, port) { command.append(to: &$0) }
  }

  func send(to address: SocketAddress, _ port: Port, _ encode: (inout RigidArray<UInt8>) -> Bool) {
    var packet = RigidArray<UInt8>(capacity: SessionCommand.longest)
    guard encode(&packet) else { return }
    var datagram: [UInt8] = []
    datagram.reserveCapacity(packet.count)
    for index in 0..<packet.count { datagram.append(packet[index]) }
    outputs.append(.send(datagram, to: address, port))
  }
}

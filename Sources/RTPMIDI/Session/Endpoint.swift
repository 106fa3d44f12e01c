import BasicContainers
import MusicalTime

/// All AppleMIDI sessions of one local pair of ports, without any I/O: datagrams and instants in, ``Output`` out.
///
/// Whoever owns it gives it each datagram (``receive(_:from:port:at:answered:)``), calls ``advance(to:)`` when
/// ``nextDeadline`` has come, and after either does what ``drain()`` returns. It sends no RTP: the ``PacketSender`` of
/// a session belongs to the thread that sends, under ``ssrc``. It belongs to one thread itself.
///
/// CK0s and probe requests are best answered by the thread that receives them (``ClockPacket/reply(from:receivedAt:)``,
/// ``ClockProbe/reply(from:identity:receivedAt:sentAt:)``). They are handed on all the same, with `answered` true and
/// the instant put into the answer: they show that the peer lives.
///
/// Bounds: ``sessionLimit`` sessions, beyond which invitations are answered NO; 64 half-open invitations, of which the
/// oldest is forgotten; System Exclusives of 4096 data octets; names of 63 octets. What is dropped is counted in
/// ``counters``.
///
/// Real-time: not safe.
public final class Endpoint<Address: Hashable & Sendable> {
  /// Where an established session's datagrams come from.
  struct Source: Hashable {
    let ssrc: UInt32
    let address: Address
    let port: Port
  }

  /// The most sessions at a time.
  public static var sessionLimit: Int { 1100 }
  static var halfOpenLimit: Int { 64 }

  /// The own synchronization source identifier, in every packet this peer sends.
  public let ssrc: UInt32
  /// What this peer calls itself.
  public let name: String
  /// What Tutti peers know this peer by, told in probes.
  public let identity: UInt64
  public internal(set) var counters = Counters()

  /// In the order of their beginning, so that equal inputs give equal outputs.
  var sessions: [Session<Address>] = []
  /// The established ones, twice each.
  var sources: [Source: Session<Address>] = [:]
  var halfOpen: [HalfOpenInvitation<Address>] = []
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
  public var establishedCount: Int { sources.count / 2 }

  /// What became of the packets of an established session; nil when it is none.
  public func statistics(of id: SessionID) -> ReceptionStatistics? {
    sessions.first { $0.id == id && $0.phase == .established }?.receiver.statistics
  }

  /// Invites the peer at `control` and `data`. When there is a session with that control port already, it is that one.
  public func connect(
    to control: Address, data: Address, at now: Instant
  ) throws(TooManySessions) -> SessionID {
    if let session = sessions.first(where: { $0.control == control }) { return session.id }
    guard sessions.count < Self.sessionLimit else { throw TooManySessions(limit: Self.sessionLimit) }
    let session = makeSession(control: control, data: data, isInitiator: true)
    session.invite(.invitingControl, at: now)
    advance(to: now)
    return session.id
  }

  /// Ends a session with BY. Nothing happens when it has ended already.
  public func close(_ id: SessionID, at now: Instant) {
    guard let session = sessions.first(where: { $0.id == id }) else { return }
    sendBye(to: session)
    end(session, .closed(id))
  }

  /// Ends all sessions with BY.
  public func closeAll(at now: Instant) {
    for session in sessions { close(session.id, at: now) }
    halfOpen.removeAll()
  }

  /// When ``advance(to:)`` is to be called next; nil when there is nothing to wait for.
  public var nextDeadline: Instant? {
    var earliest: Instant?
    for session in sessions where earliest.map({ session.deadline < $0 }) ?? true { earliest = session.deadline }
    for invitation in halfOpen where earliest.map({ invitation.expires < $0 }) ?? true {
      earliest = invitation.expires
    }
    return earliest
  }

  /// Does what is due at `now`: invitations, clock packets, probes, feedback, time-outs. Read the clock right before.
  public func advance(to now: Instant) {
    let count = halfOpen.count
    halfOpen.removeAll { $0.expires <= now }
    counters.forgottenInvitations += UInt64(count - halfOpen.count)
    for session in sessions where session.deadline <= now {
      if session.phase == .established {
        advanceEstablished(session, to: now)
      } else {
        advanceInvitation(of: session, to: now)
      }
    }
  }

  /// What there is to do and to tell since the last call, in order.
  public func drain() -> [Output] {
    defer { outputs.removeAll(keepingCapacity: true) }
    return outputs
  }

  private func advanceEstablished(_ session: Session<Address>, to now: Instant) {
    if session.silenceEnds <= now {
      // The peer may still hear what it can no longer say.
      sendBye(to: session)
      return end(session, .lost(session.id))
    }
    if let packet = session.clock.advance(to: now, ssrc: ssrc) {
      send(to: session.data, .data) { packet.append(to: &$0) }
    }
    switch session.recognition.advance(to: now) {
    case .request:
      let probe = ClockProbe(ssrc: ssrc, identity: identity, sentAt: now)
      send(to: session.data, .data) { probe.append(to: &$0) }
    case .foreign: outputs.append(.foreign(session.id))
    case nil: break
    }
    if let due = session.feedbackDue, due <= now {
      session.feedbackDue = nil
      let feedback = ReceiverFeedback(ssrc: ssrc, sequence: session.receiver.highestSequence ?? 0)
      send(to: session.control, .control) { feedback.append(to: &$0) }
    }
  }

  private func advanceInvitation(of session: Session<Address>, to now: Instant) {
    switch session.advanceInvitation(to: now) {
    case .due:
      let port: Port = session.phase == .invitingControl ? .control : .data
      let address = port == .control ? session.control : session.data
      send(SessionCommand(.invitation, token: session.token, ssrc: ssrc, name: name), to: address, port)
    case .exhausted:
      if session.phase == .invitingData { sendBye(to: session) }
      end(session, .unreachable(session.id))
    case nil: break
    }
  }

  func makeSession(control: Address, data: Address, isInitiator: Bool) -> Session<Address> {
    lastNumber += 1
    let session = Session(
      id: SessionID(number: lastNumber), token: UInt32.random(in: 0...UInt32.max, using: &random), control: control,
      data: data, isInitiator: isInitiator)
    sessions.append(session)
    return session
  }

  func end(_ session: Session<Address>, _ output: Output) {
    sessions.removeAll { $0 === session }
    for source in [
      Source(ssrc: session.controlSSRC, address: session.control, port: .control),
      Source(ssrc: session.ssrc, address: session.data, port: .data),
    ] where sources[source] === session {
      sources[source] = nil
    }
    outputs.append(output)
  }

  private func sendBye(to session: Session<Address>) {
    let token = session.acceptedToken ?? session.token
    send(SessionCommand(.bye, token: token, ssrc: ssrc), to: session.control, .control)
  }

  func send(_ command: SessionCommand, to address: Address, _ port: Port) {
    send(to: address, port) { command.append(to: &$0) }
  }

  func send(to address: Address, _ port: Port, _ encode: (inout RigidArray<UInt8>) -> Bool) {
    var packet = RigidArray<UInt8>(capacity: SessionCommand.longest)
    guard encode(&packet) else { return }
    var datagram: [UInt8] = []
    datagram.reserveCapacity(packet.count)
    for index in 0..<packet.count { datagram.append(packet[index]) }
    outputs.append(.send(datagram, to: address, port))
  }
}

import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// Candidates: peers that have invited the endpoint on both ports, and must prove that they receive at their address. Stranger `n`
/// has the SSRC `n` and the ports `2 n` and `2 n + 1`. `verify` exchanges the clock packets that prove that a stranger receives. All
/// addresses from 1 000 000 to 1 999 999 are on one host. In an ``EndpointNetwork``, endpoint `k` has the ports `2 k` and `2 k + 1`.
@Suite struct CandidateTests {
  private let endpoint = Endpoint(name: "local", random: SplitMix(seed: 1))
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// Delivers a clock packet from the data port of a stranger.
  private func receive(_ packet: ClockPacket, of stranger: Int, at now: Instant) {
    let datagram = octets { _ = packet.append(to: &$0) }
    endpoint.receive(datagram, from: .at(2 * stranger + 1), port: .data, at: now)
  }

  /// Invites the endpoint on both ports. Returns the outputs.
  @discardableResult
  private func invite(_ stranger: Int, token: Int? = nil, at now: Instant) -> [Endpoint.Output] {
    let command = SessionCommand(.invitation, token: UInt32(token ?? stranger), ssrc: UInt32(stranger))
    let invitation = octets { _ = command.append(to: &$0) }
    endpoint.receive(invitation, from: .at(2 * stranger), port: .control, at: now)
    endpoint.receive(invitation, from: .at(2 * stranger + 1), port: .data, at: now)
    return endpoint.drain()
  }

  /// Sends CK0 of a stranger. Returns the CK1.
  private func requestClock(of stranger: Int, at now: Instant) throws -> ClockPacket {
    receive(ClockPacket(ssrc: UInt32(stranger), sentAt: now), of: stranger, at: now)
    let packets = endpoint.drain().compactMap { output -> ClockPacket? in
      if case .send(let datagram, _, _, _) = output { ClockPacket(datagram.span) } else { nil }
    }
    return try #require(packets.last)
  }

  /// The number of OK and of NO among the outputs.
  private func answers(in outputs: [Endpoint.Output]) -> (accepted: Int, rejected: Int) {
    var answers = (accepted: 0, rejected: 0)
    for case .send(let datagram, _, _, _) in outputs {
      guard case .session(let command) = try? ControlPacket(datagram.span) else { continue }
      if command.kind == .accepted { answers.accepted += 1 }
      if command.kind == .rejected { answers.rejected += 1 }
    }
    return answers
  }

  /// The sender of an invitation can forge the source address. The host at this address gives no proof, so it gets no session.
  @Test func invitationAloneEstablishesNoSession() {
    let outputs = invite(9, at: start)
    #expect(outputs.count == 2 && answers(in: outputs).accepted == 2, "nothing but the answers")
    var later: [Endpoint.Output] = []
    while let next = endpoint.nextDeadline {
      #expect(next <= start + .seconds(5))
      endpoint.advance(to: next)
      later += endpoint.drain()
    }
    // The endpoint sends CK0 from 1 s on, at intervals of at least 0.5 s, until the candidate ends after 5 s. So it sends at most
    // eight. The last output reports the end of the candidate.
    let requests = later.count { if case .clockPacket = $0 { true } else { false } }
    #expect(requests <= 8 && later.count == requests + 1, "\(later)")
    #expect(later.last == .declined(name: nil, from: .at(18), .isUnverified))
    #expect(endpoint.establishedCount == 0 && endpoint.candidateCount == 0)
  }

  @Test func matchingCK2EstablishesTheSession() throws {
    invite(9, at: start)
    let answer = try requestClock(of: 9, at: start + .milliseconds(1))
    #expect(endpoint.establishedCount == 0)
    receive(answer.reply(from: 9, sentAt: start)!, of: 9, at: start + .milliseconds(2))
    guard case .established(let id, let info)? = endpoint.drain().first else {
      Issue.record("not established")
      return
    }
    #expect(info.ssrc == 9 && !info.isInitiator && endpoint.localSSRC(of: id) == info.localSSRC)
    #expect(endpoint.establishedCount == 1 && endpoint.candidateCount == 0)
    endpoint.advance(to: start + .seconds(50))
    #expect(endpoint.drain() == [], "only the initiator sends CK0")
  }

  /// The invitations of two Tutti peers have crossed. Each invitation has led to a session at its sender and to a
  /// candidate at its receiver. Both peers keep the session with the lower token. But if the endpoint has received nothing on its
  /// session since the invitation of the peer arrived, the candidate replaces the session, because the peer may have restarted.
  ///
  /// `token` is the token of the peer's invitation. `isHeard` is whether the peer sends a packet on the session of the endpoint's
  /// invitation, and `isKept` is whether this session is kept. `expectsExtension` marks the peer as a Tutti peer, because the tokens
  /// are compared only with such a peer.
  @Test(arguments: [(0, true, false), (UInt32.max, true, true), (UInt32.max, false, false)])
  func crossingSessionOfTheLowerTokenIsKept(token: UInt32, isHeard: Bool, isKept: Bool) throws {
    _ = try endpoint.connect(to: .at(18), data: .at(19), expectsExtension: true, at: start)
    // The peer, with SSRC 9, accepts the invitation of the endpoint on both ports.
    for port in [Port.control, .data] {
      guard case .send(let datagram, _, _, _)? = endpoint.drain().last,
        case .session(let invitation) = try ControlPacket(datagram.span)
      else {
        Issue.record("no invitation")
        return
      }
      let answer = SessionCommand(.accepted, token: invitation.token, ssrc: 9)
      endpoint.receive(
        octets { _ = answer.append(to: &$0) }, from: .at(port == .control ? 18 : 19), port: port, at: start)
    }
    #expect(endpoint.establishedCount == 1)
    // The invitation of the peer itself has SSRC 10.
    let command = SessionCommand(.invitation, token: token, ssrc: 10)
    for (port, address) in [(Port.control, 18), (.data, 19)] {
      endpoint.receive(octets { _ = command.append(to: &$0) }, from: .at(address), port: port, at: start + .seconds(1))
    }
    #expect(endpoint.candidateCount == 1)
    let now = start + .milliseconds(1200)
    if isHeard {
      let packet = ClockPacket(ssrc: 9, sentAt: now)
      endpoint.receive(octets { _ = packet.append(to: &$0) }, from: .at(19), port: .data, at: now)
    }
    _ = endpoint.drain()
    // CK0 and CK2 of the candidate prove that it receives.
    let request = ClockPacket(ssrc: 10, sentAt: now)
    endpoint.receive(octets { _ = request.append(to: &$0) }, from: .at(19), port: .data, at: now)
    let answers = endpoint.drain().compactMap { output -> ClockPacket? in
      if case .send(let datagram, _, _, _) = output { ClockPacket(datagram.span) } else { nil }
    }
    let proof = try #require(answers.last?.reply(from: 10, sentAt: now))
    endpoint.receive(octets { _ = proof.append(to: &$0) }, from: .at(19), port: .data, at: now)
    let established = endpoint.drain().compactMap { output -> UInt32? in
      if case .established(_, let info) = output { info.ssrc } else { nil }
    }
    #expect(established == (isKept ? [] : [10]))
    #expect(endpoint.establishedCount == 1 && endpoint.candidateCount == 0)
  }

  /// Some devices begin a session but send no CK0. After a second, the endpoint sends them a CK0.
  @Test func replyToCK0EstablishesTheSession() throws {
    invite(9, at: start)
    let now = start + .seconds(1)
    #expect(endpoint.nextDeadline == now)
    endpoint.advance(to: now)
    guard case .clockPacket(let id, to: .at(19), _)? = endpoint.drain().first,
      let request = endpoint.clockPacket(on: id, sentAt: now)
    else {
      Issue.record("no CK0")
      return
    }
    receive(request.reply(from: 9, sentAt: now)!, of: 9, at: now + .milliseconds(1))
    #expect(endpoint.establishedCount == 1)
  }

  /// The third wrong CK2 ends the candidate. A stranger that does not receive the CK1 must guess the stamp of the CK1. The limit gives
  /// such a stranger few attempts.
  @Test(arguments: [2, 3]) func threeWrongRepliesEndTheCandidate(wrong: Int) throws {
    invite(9, at: start)
    let answer = try requestClock(of: 9, at: start)
    for n in 1...wrong {
      var guess = answer
      guess.stamp2 += UInt64(n)
      receive(guess.reply(from: 9, sentAt: start)!, of: 9, at: start)
    }
    #expect(endpoint.counters.unmatchedClocks == wrong)
    receive(answer.reply(from: 9, sentAt: start)!, of: 9, at: start)
    #expect(endpoint.establishedCount == (wrong == 2 ? 1 : 0) && endpoint.candidateCount == 0)
  }

  /// A stranger that does not receive the CK1 must guess the stamp of the CK1. Guessing does not become easier if the stranger sends
  /// many CK0, because only the stamp of the newest CK1 is valid.
  @Test func onlyTheNewestCK1OfACandidateCounts() throws {
    invite(9, at: start)
    let first = try requestClock(of: 9, at: start)
    let second = try requestClock(of: 9, at: start + .milliseconds(1))
    receive(first.reply(from: 9, sentAt: start)!, of: 9, at: start + .milliseconds(2))
    #expect(endpoint.establishedCount == 0)
    receive(second.reply(from: 9, sentAt: start)!, of: 9, at: start + .milliseconds(2))
    #expect(endpoint.establishedCount == 1)
  }

  /// Candidates of a forged address do not count as sessions of its host, so an invitation of this host is not refused. The host may
  /// have one session here. Of its two candidates, the first that proves that it receives gets this session.
  @Test func candidatesDoNotFillAHost() {
    endpoint.sessionsPerHost = 1
    invite(500_001, at: start)
    let answers = answers(in: invite(500_002, at: start))
    #expect(answers == (2, 0))
    endpoint.verify(500_002, at: .at(1_000_005), now: start)
    endpoint.verify(500_001, at: .at(1_000_003), now: start)
    #expect(endpoint.establishedCount == 1 && endpoint.candidateCount == 0)
  }

  @Test func repeatedInvitationOfACandidateIsAnsweredAgain() {
    invite(9, at: start)
    #expect(answers(in: invite(9, at: start + .milliseconds(250))).accepted == 2 && endpoint.candidateCount == 1)
  }

  /// The 65th candidate waits until the oldest candidate is 500 ms old. Until then, its invitation on the data port is
  /// not answered.
  @Test func oldestCandidateMakesRoom() {
    for stranger in 1...64 { invite(stranger, at: start) }
    #expect(endpoint.candidateCount == 64)
    var answered = answers(in: invite(65, at: start + .milliseconds(499)))
    #expect(answered == (1, 0) && endpoint.candidateCount == 64)
    answered = answers(in: invite(65, at: start + .milliseconds(500)))
    #expect(answered == (2, 0) && endpoint.candidateCount == 64)
    endpoint.verify(1, at: .at(3), now: start + .milliseconds(500))
    endpoint.verify(65, at: .at(131), now: start + .milliseconds(500))
    #expect(endpoint.establishedCount == 1, "the first candidate was dropped")
  }

  @Test func oneHostHasFourCandidates() {
    for stranger in 500_001...500_010 { invite(stranger, at: start) }
    #expect(endpoint.candidateCount == 4)
    invite(9, at: start)
    #expect(endpoint.candidateCount == 5)
  }

  /// The limit per host does not apply to loopback addresses: many peers can run on this machine, and no other host can send from such an
  /// address.
  @Test func candidatesOfThisMachineAreNotLimited() {
    for number in UInt16(1)...20 {
      let control = SocketAddress(host: 0x7F00_0001, port: 6000 + 2 * number)
      let data = SocketAddress(host: 0x7F00_0001, port: control.port + 1)
      let command = SessionCommand(.invitation, token: UInt32(number), ssrc: UInt32(number))
      let invitation = octets { _ = command.append(to: &$0) }
      endpoint.receive(invitation, from: control, port: .control, at: start)
      endpoint.receive(invitation, from: data, port: .data, at: start)
    }
    #expect(endpoint.candidateCount == 20)
  }

  /// A stranger sends invitations with the address and the SSRC of a peer in session. The invitations do not end this session. The
  /// endpoint sends clock packets to each candidate, but with another SSRC than in the session. The real peer at the address does not
  /// answer these packets, so the candidate gives no proof.
  @Test(arguments: [EndpointNetwork.Kind.standard, .tutti])
  func forgedInvitationDoesNotReplaceASession(kind: EndpointNetwork.Kind) throws {
    for initiator in 0...1 {
      var network = EndpointNetwork(2, kind)
      network.connect(initiator, to: 1 - initiator)
      network.run(for: .seconds(1))
      let (id, ssrc) = (try #require(network.session(1)), network.localSSRC(0))
      let before = [network.events(of: 0), network.events(of: 1)]
      for attempt in 1...20 {
        let forged = SessionCommand(.invitation, token: UInt32(attempt), ssrc: ssrc)
        network.send(octets { _ = forged.append(to: &$0) }, from: 0, to: 2)
        network.run(for: .milliseconds(2))
        network.send(octets { _ = forged.append(to: &$0) }, from: 1, to: 3)
        // CK0 follows one second after the invitation.
        network.run(for: .milliseconds(1300))
      }
      #expect(network.session(1) == id && network.areTogether(0, 1))
      let outputs = [network.events(of: 0), network.events(of: 1)].map { $0.filter { !$0.isReport } }
      #expect(outputs == before)
    }
  }

  /// While the local peer invites a peer, a stranger sends invitations with the address of this peer. The session is established
  /// with the SSRC of the peer, at whatever moment the forged invitation arrives. The handshake takes four milliseconds.
  @Test(arguments: [EndpointNetwork.Kind.standard, .tutti], 0...8)
  func forgedInvitationDoesNotTakeOverAnInvitation(kind: EndpointNetwork.Kind, halfMilliseconds: Int) {
    var network = EndpointNetwork(2, kind)
    func forge() {
      let forged = SessionCommand(.invitation, token: 7, ssrc: 4711)
      network.send(octets { _ = forged.append(to: &$0) }, from: 2, to: 0)
      network.send(octets { _ = forged.append(to: &$0) }, from: 3, to: 1)
    }
    network.connect(0, to: 1)
    network.run(for: .microseconds(Int64(500 * halfMilliseconds)))
    forge()
    network.run(for: .seconds(8))
    #expect(network.info(0)?.ssrc == network.localSSRC(1) && network.areTogether(0, 1))
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[1].establishedCount == 1)
  }

  /// Candidates end with BY when the endpoint leaves. A standard device gets BY on both ports.
  @Test func leavingEndsCandidates() {
    invite(9, at: start)
    endpoint.closeAll(at: start)
    #expect(endpoint.candidateCount == 0 && endpoint.nextDeadline == nil && endpoint.drain().count == 2)
  }
}

extension Endpoint.Output {
  /// Whether the output reports that a candidate was dropped.
  fileprivate var isReport: Bool { if case .declined(_, _, .isUnverified) = self { true } else { false } }
}

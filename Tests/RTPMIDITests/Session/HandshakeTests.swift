import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// Invitations and their answers. The addresses 0 and 1 are the control and the data port of endpoint 0, and 2 and 3 are those of
/// endpoint 1. The network delays each datagram by one millisecond.
@Suite struct HandshakeTests {
  /// Each session has its own local SSRC. A peer therefore does not know the SSRC of packets to another peer, and
  /// cannot forge them.
  @Test func eachSessionHasAnSSRCOfItsOwn() {
    var network = EndpointNetwork(4, .standard)
    network.connect(0, to: 1)
    network.connect(0, to: 2)
    network.connect(3, to: 0)
    network.run(for: .milliseconds(100))
    let sessions = network.standing[0].values.map(\.info)
    #expect(sessions.count == 3 && Set(sessions.map(\.localSSRC)).count == 3)
    for k in 1...3 { #expect(sessions.contains { $0.localSSRC == network.info(k)?.ssrc }) }
    // Endpoint 1 knows the SSRC of its own session with endpoint 0. With this SSRC, it forges a BY to endpoint 2 (address 4).
    let known = network.info(1)!.ssrc
    let bye = SessionCommand(.bye, token: 1, ssrc: known)
    network.send(octets { _ = bye.append(to: &$0) }, from: 0, to: 4)
    network.run(for: .milliseconds(2))
    #expect(network.endpoints[2].establishedCount == 1, "a BY with the SSRC of another session has no effect")
  }

  @Test func invitationOnBothPortsEstablishesASession() throws {
    var network = EndpointNetwork(2, .standard)
    let id = network.connect(0, to: 1)
    // The handshake takes four datagrams: 4 ms.
    network.run(for: .milliseconds(7))
    let (a, b) = (network.endpoints[0], network.endpoints[1])
    let initiator = try #require(network.info(0))
    #expect(network.events(of: 0) == [.established(id, initiator)])
    #expect(initiator.name == "peer 1" && initiator.isInitiator)
    #expect(initiator.control == .at(2) && initiator.data == .at(3))
    let answerer = try #require(network.info(1))
    #expect(answerer.name == "peer 0" && !answerer.isInitiator)
    #expect(answerer.ssrc == initiator.localSSRC && answerer.localSSRC == initiator.ssrc)
    #expect(answerer.control == .at(0) && answerer.data == .at(1))
    #expect(network.sent("IN", by: 0).count == 1 && network.sent("IN", by: 1).count == 1)
    #expect(a.establishedCount == 1 && b.establishedCount == 1)
  }

  /// The tries are one second apart. The twelfth try leaves after 11 s, and counts as unanswered after 12 s.
  @Test func invitationEndsAfterTwelveUnansweredTries() {
    var network = EndpointNetwork(2, .standard)
    network.cutOff = [1]
    let id = network.connect(0, to: 1)
    network.run(for: .milliseconds(11_999))
    #expect(network.sent("IN", by: 0).count == 12 && network.events(of: 0) == [])
    network.run(for: .milliseconds(1))
    #expect(network.events(of: 0) == [.unreachable(id)] && network.endpoints[0].nextDeadline == nil)
    #expect(network.sent("IN", by: 0).count == 12)
  }

  @Test func invitationEndsWithByeIfTheDataPortDoesNotAnswer() throws {
    var network = EndpointNetwork(1, .standard)
    let id = network.connect(0, to: 1)
    let invitation = try #require(network.sent("IN", by: 0).first)
    // The invitation becomes an acceptance (OK) with SSRC 9.
    var answer = invitation
    answer.replaceSubrange(2..<4, with: Array("OK".utf8))
    answer.replaceSubrange(12..<16, with: [0, 0, 0, 9])
    network.send(answer, from: 2, to: 0)
    network.run(for: .seconds(20))
    #expect(network.sent("IN", by: 1).count == 12)
    #expect(network.events(of: 0) == [.unreachable(id)])
    #expect(network.sent("BY", by: 0).count == 1, "BY ends the half-open invitation at the peer")
  }

  /// Each port of pymidi 0.5.0 has its own SSRC.
  @Test func peerMayHaveAnSSRCForEachPort() throws {
    var network = EndpointNetwork(1, .standard)
    let id = network.connect(0, to: 1)
    let invitation = try #require(network.sent("IN", by: 0).first)
    /// Sends the invitation with another command and SSRC from `address` of the peer to the corresponding port of endpoint 0.
    func send(_ letters: String, _ ssrc: UInt8, from address: Int) {
      var command = invitation
      command.replaceSubrange(2..<4, with: Array(letters.utf8))
      command.replaceSubrange(12..<16, with: [0, 0, 0, ssrc])
      network.send(command, from: address, to: address - 2)
      network.run(for: .milliseconds(2))
    }
    send("OK", 9, from: 2)
    send("OK", 10, from: 3)
    let info = try #require(network.info(0))
    #expect(network.events(of: 0) == [.established(id, info)] && info.ssrc == 10)
    send("BY", 10, from: 2)
    #expect(network.endpoints[0].establishedCount == 1, "the SSRC of this port is 9")
    send("BY", 9, from: 2)
    #expect(network.events(of: 0).last == .closed(id) && network.endpoints[0].establishedCount == 0)
  }

  /// A NO on the control port (0) is a refusal. A NO on the data port (1), after acceptance on the control port, is no refusal: the
  /// peer was restarted between the two invitations, or has ended the session. The peer then counts as unreachable.
  @Test(arguments: [0, 1]) func noEndsAnInvitation(port: Int) throws {
    var network = EndpointNetwork(1, .standard)
    let id = network.connect(0, to: 1)
    var answer = try #require(network.sent("IN", by: 0).first)
    // The answer to the invitation has SSRC 9.
    answer.replaceSubrange(12..<16, with: [0, 0, 0, 9])
    if port == 1 {
      answer.replaceSubrange(2..<4, with: Array("OK".utf8))
      network.send(answer, from: 2, to: 0)
      network.run(for: .milliseconds(2))
    }
    answer.replaceSubrange(2..<4, with: Array("NO".utf8))
    // Octet 8 is part of the token.
    var other = answer
    other[8] ^= 1
    network.send(other, from: 2 + port, to: port)
    network.run(for: .milliseconds(2))
    #expect(network.events(of: 0) == [], "a NO with another token is ignored")
    network.send(answer, from: 2 + port, to: port)
    network.run(for: .milliseconds(2))
    #expect(network.events(of: 0) == [port == 0 ? .refused(id) : .unreachable(id)])
    #expect(network.endpoints[0].counters.unexpectedAnswers == 1)
  }

  @Test func repeatedInvitationsAreAnsweredWithoutASecondSession() throws {
    var network = EndpointNetwork(2, .standard)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    let control = try #require(network.sent("IN", by: 0).first)
    let data = try #require(network.sent("IN", by: 1).first)
    for count in 2...4 {
      network.send(control, from: 0, to: 2)
      network.send(data, from: 1, to: 3)
      network.run(for: .milliseconds(20))
      #expect(network.sent("OK", by: 2).count == count && network.sent("OK", by: 3).count == count)
    }
    #expect(network.events(of: 1).count == 1 && network.endpoints[1].establishedCount == 1)
  }

  /// A restarted peer invites the local peer, and the answer is lost. Before the peer repeats the invitation, the local peer begins to
  /// revive the old session, in which it uses another SSRC. All answers to the invitation must contain the same local SSRC.
  @Test func repeatedInvitationIsAnsweredWithTheSameSSRC() throws {
    var network = EndpointNetwork(1, .standard)
    _ = network.connect(0, to: 1)
    // Octets 8 to 11 of an invitation are the token.
    let token = try #require(network.sent("IN", by: 0).first)[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    /// Sends a command from a port of the peer to the same port of the local peer.
    func send(_ kind: SessionCommand.Kind, _ token: UInt32, _ ssrc: UInt32, fromPort port: Int) {
      let command = SessionCommand(kind, token: token, ssrc: ssrc)
      network.send(octets { _ = command.append(to: &$0) }, from: 2 + port, to: port)
      network.run(for: .milliseconds(2))
    }
    for port in 0...1 { send(.accepted, token, 9, fromPort: port) }
    // The peer sends clock packets. Without them, the session would be lost after 30 s of silence.
    network.verify(9, at: 3, by: 0)
    #expect(network.endpoints[0].establishedCount == 1)
    network.run(for: .seconds(25))
    send(.invitation, 5, 10, fromPort: 0)
    // The local peer revives the session 30 s after the last packet of the old process.
    network.run(for: .seconds(10))
    #expect(network.sent("IN", by: 0).count > 1)
    for port in 0...1 { send(.invitation, 5, 10, fromPort: port) }
    // Octets 12 to 15 of an answer are the SSRC. The first invitation got one answer, and its repetition got one on each port.
    let answers = (network.sent("OK", by: 0) + network.sent("OK", by: 1)).map { Array($0[12..<16]) }
    #expect(answers.count == 3 && Set(answers).count == 1, "\(answers)")
  }

  @Test func connectingAgainReturnsTheSameSession() {
    var network = EndpointNetwork(2, .standard)
    let id = network.connect(0, to: 1)
    #expect(network.connect(0, to: 1) == id)
    network.run(for: .milliseconds(100))
    #expect(network.connect(0, to: 1) == id && network.sent("IN", by: 0).count == 1)
  }

  @Test(arguments: UInt64(1)...50) func mutualInvitationsMakeOneSession(seed: UInt64) {
    var network = EndpointNetwork(2, .standard, seed: seed)
    network.delay = 100_000...30_000_000
    let first = network.connect(0, to: 1)
    network.run(for: .milliseconds(Int64(seed % 40)))
    let second = network.connect(1, to: 0)
    network.run(for: .seconds(100))
    for (k, id) in [(0, first), (1, second)] {
      #expect(network.endpoints[k].establishedCount == 1, "seed \(seed)")
      let events = network.events(of: k)
      #expect(events.count == 1, "seed \(seed): \(events)")
      // With seed 40, both endpoints invite at the same time. Each endpoint keeps the identifier of its own invitation.
      if seed % 40 == 0 { #expect(network.session(k) == id, "seed \(seed)") }
    }
    // In 100 s, the initiator begins about 20 exchanges of three clock packets. Either endpoint can be the initiator.
    #expect(network.sent("CK", by: 1).count + network.sent("CK", by: 3).count > 20, "seed \(seed)")
  }

  @Test func reflectedInvitationIsCancelled() {
    // The endpoint invites its own address.
    var network = EndpointNetwork(1, .standard)
    let id = network.connect(0, to: 0)
    network.run(for: .seconds(1))
    #expect(network.events(of: 0) == [.reflected(id)] && network.endpoints[0].counters.refusedInvitations == 1)
  }
}

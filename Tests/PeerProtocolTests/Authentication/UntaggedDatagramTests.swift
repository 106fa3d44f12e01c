import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of datagrams without a valid tag: IN, OK, NO, CK and RS of a hostile device that has recorded everything. Such datagrams can start
/// a candidate, but have no other effect. A clock probe with a valid tag has no effect if it contains another identity than the one that
/// its sender, a member of the group, has proved.
@Suite struct UntaggedDatagramTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  /// The mark of a peer with a passkey.
  private let mark: UInt32 = 0x5450_4B01

  private func octets(_ append: (inout RigidArray<UInt8>) -> Bool) -> [UInt8] {
    var packet = RigidArray<UInt8>(capacity: 100)
    _ = append(&packet)
    return (0..<packet.count).map { packet[$0] }
  }

  /// A command of the hostile device.
  private func command(_ kind: SessionCommand.Kind, token: UInt32, ssrc: UInt32) -> [UInt8] {
    octets { SessionCommand(kind, token: token, ssrc: ssrc, name: "eve", mark: mark).append(to: &$0) }
  }

  /// The commands of one kind that a peer has sent from a port.
  private func commands(_ kind: SessionCommand.Kind, by n: Int, _ port: Port, in pair: ProtectedPair)
    -> [SessionCommand]
  {
    pair.sent.filter { $0.sender == n && $0.port == port }.compactMap { sent in
      guard case .session(let command)? = try? ControlPacket(sent.octets.span), command.kind == kind else { return nil }
      return command
    }
  }

  /// Whether a datagram begins with FF FF and the letters IN.
  private func isInvitation(_ octets: [UInt8]) -> Bool { Array(octets.prefix(4)) == [0xFF, 0xFF, 0x49, 0x4E] }

  /// Two peers in session since `start`. The network loses all later datagrams.
  private func silentPair() throws -> ProtectedPair {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    #expect(pair.nodes.allSatisfy { $0.session != nil })
    pair.loses = { _ in true }
    return pair
  }

  /// The local SSRC of a peer in its session.
  private func ssrc(of n: Int, in pair: ProtectedPair) throws -> UInt32 {
    try #require(pair.nodes[n].session.flatMap { pair.nodes[n].endpoint.localSSRC(of: $0) })
  }

  /// CK packets prove that a device receives, but not that it knows the passkey. Of the datagrams of peer 0, the network delivers only the
  /// invitations, so peer 0 is a candidate of peer 1. The hostile device then sends CK0 and CK2 with the SSRC of peer 0. The stamps of
  /// CK2 are right.
  @Test func clockPacketsOfACandidateProveNothing() throws {
    var pair = ProtectedPair()
    pair.loses = { $0.sender == 0 && !isInvitation($0.octets) }
    try pair.connect(from: 0, at: start)
    let ssrc = try #require(commands(.invitation, by: 0, .data, in: pair).first).ssrc
    #expect(pair.nodes[1].endpoint.candidateCount == 1)
    let request = ClockPacket(ssrc: ssrc, sentAt: start)
    let answer = try #require(request.reply(from: ssrc, sentAt: start)?.reply(from: ssrc, sentAt: start))
    for packet in [request, answer] { pair.deliver(octets { packet.append(to: &$0) }, to: 1, .data, at: start) }
    pair.exchange(at: start)
    #expect(pair.nodes[1].session == nil && pair.nodes[1].endpoint.establishedCount == 0)
    #expect(!pair.sent.contains { $0.sender == 1 && ClockPacket($0.octets.span) != nil })
  }

  /// raveloxmidi puts the SSRC of the receiver into RS. In a protected session, an RS with this SSRC needs a tag, too.
  @Test func feedbackWithTheLocalSSRCHasNoEffect() throws {
    var pair = try silentPair()
    let ssrc = try ssrc(of: 1, in: pair)
    let forged = octets { ReceiverFeedback(ssrc: ssrc, sequence: 7).append(to: &$0) }
    for port in [Port.control, .data] { pair.deliver(forged, to: 1, port, at: start) }
    pair.exchange(at: start)
    #expect(!pair.nodes[1].outputs.contains { if case .feedback = $0 { true } else { false } })
  }

  /// A member of the group sends a reply with a valid tag, but with another identity than the identity that it has
  /// proved.
  @Test func probeHasTheProvenIdentity() throws {
    var pair = ProtectedPair()
    let now = start + .milliseconds(1)
    pair.loses = { $0.sender == 0 && ClockProbe($0.octets.span) != nil }
    try pair.connect(from: 0, at: start)
    pair.exchange(at: now)
    let session = try #require(pair.nodes[0].session)
    var sealer = DatagramSealer(try #require(pair.nodes[0].endpoint.keys(of: session)), thread: .clock)
    let request = try #require(pair.sent.last { $0.sender == 1 && ClockProbe($0.octets.span)?.kind == .request })
    let ssrc = try ssrc(of: 0, in: pair)
    let reply = ClockProbe(request.octets.span)?.answer(from: ssrc, identity: 9, receivedAt: now, sentAt: now)
    var datagram = RigidArray<UInt8>(capacity: 100)
    _ = reply?.append(to: &datagram)
    sealer.seal(&datagram, port: .data, at: now)
    let before = pair.nodes[1].endpoint.counters.notAuthentic
    pair.deliver((0..<datagram.count).map { datagram[$0] }, to: 1, .data, at: now)
    #expect(pair.nodes[1].endpoint.counters.notAuthentic == before + 1)
  }

  /// Peer 0 has invited peer 1, but its invitations on the data port are lost. The hostile device tries to complete this invitation by
  /// an invitation of its own, with the SSRC and the address of peer 1.
  @Test func invitationDoesNotCompleteAnInvitation() throws {
    var pair = ProtectedPair()
    pair.loses = { $0.sender == 0 && $0.port == .data }
    try pair.connect(from: 0, at: start)
    let ssrc = try #require(commands(.accepted, by: 1, .control, in: pair).first).ssrc
    for port in [Port.control, .data] {
      pair.deliver(command(.invitation, token: 77, ssrc: ssrc), to: 0, port, at: start)
    }
    pair.exchange(at: start)
    #expect(pair.nodes[0].session == nil && pair.nodes[0].endpoint.establishedCount == 0)
  }

  /// The hostile device invites peer 0 with the token 77 and the SSRC 4711, and becomes a candidate. It then accepts the
  /// invitation that peer 0 has sent to peer 1, with the recorded token. An acceptance proves only that a device has received the token.
  @Test func acceptanceDoesNotVerifyACandidate() throws {
    var pair = ProtectedPair()
    pair.loses = { _ in true }
    try pair.connect(from: 0, at: start)
    for port in [Port.control, .data] {
      pair.deliver(command(.invitation, token: 77, ssrc: 4711), to: 0, port, at: start)
    }
    #expect(pair.nodes[0].endpoint.candidateCount == 1)
    let token = try #require(commands(.invitation, by: 0, .control, in: pair).first).token
    pair.deliver(command(.accepted, token: token, ssrc: 4711), to: 0, .control, at: start)
    pair.exchange(at: start)
    #expect(pair.nodes[0].session == nil && pair.nodes[0].endpoint.establishedCount == 0)
  }

  /// The peers do not hear each other for 1.5 s and invite each other again. The hostile device refuses these invitations.
  @Test func refusalDoesNotEndASession() throws {
    var pair = try silentPair()
    let before = [0, 1].map { commands(.invitation, by: $0, .control, in: pair).count }
    pair.exchange(from: start, to: start + .milliseconds(1500))
    for n in 0...1 {
      let revivals = commands(.invitation, by: n, .control, in: pair).dropFirst(before[n])
      #expect(!revivals.isEmpty)
      for revival in revivals {
        pair.deliver(
          command(.rejected, token: revival.token, ssrc: 9), to: n, .control, at: start + .milliseconds(1500))
      }
    }
    pair.exchange(at: start + .milliseconds(1500))
    #expect(pair.nodes.allSatisfy { $0.session != nil && $0.endpoint.establishedCount == 1 })
  }

  /// The hostile device sends the recorded invitation to both ports of peer 1 twice per second, for seven seconds. Peer 1 loses the session
  /// after five seconds without an authentic datagram.
  @Test func recordedInvitationDoesNotKeepASessionAlive() throws {
    var pair = try silentPair()
    let recorded = pair.sent.filter { $0.sender == 0 && isInvitation($0.octets) }
    for n in Int64(1)...14 {
      let now = start + .milliseconds(500 * n)
      for datagram in recorded { pair.deliver(datagram.octets, to: 1, datagram.port, at: now) }
      pair.exchange(at: now)
    }
    #expect(recorded.count == 2 && pair.nodes[1].session == nil)
  }

  /// A second invitation arrives on the control port when the session begins, and on the data port after 600 ms of silence. If the session
  /// were unprotected, this invitation would count as one that has crossed the first invitation, and would belong to the session. Because
  /// the session is protected, the second invitation begins a candidate.
  @Test func crossingInvitationBeginsACandidate() throws {
    var pair = try silentPair()
    let ssrc = try ssrc(of: 0, in: pair)
    pair.deliver(command(.invitation, token: 77, ssrc: ssrc), to: 1, .control, at: start)
    pair.deliver(command(.invitation, token: 77, ssrc: ssrc), to: 1, .data, at: start + .milliseconds(600))
    #expect(pair.nodes[1].endpoint.candidateCount == 1 && pair.nodes[1].session != nil)
  }

  /// The answers to a new invitation and the invitations to a silent peer have a new SSRC. Otherwise, packets of the
  /// next session would have the SSRC of the present session.
  @Test(arguments: [100, 1200] as [Int64]) func nextSessionHasAnotherSSRC(milliseconds: Int64) throws {
    var pair = try silentPair()
    let (first, second) = (try ssrc(of: 0, in: pair), try ssrc(of: 1, in: pair))
    let now = start + .milliseconds(milliseconds)
    let (answers, invitations) = (
      commands(.accepted, by: 1, .control, in: pair).count, commands(.invitation, by: 1, .control, in: pair).count
    )
    pair.deliver(command(.invitation, token: 77, ssrc: first), to: 1, .control, at: now)
    pair.exchange(at: now)
    let later =
      commands(.accepted, by: 1, .control, in: pair).dropFirst(answers)
      + commands(.invitation, by: 1, .control, in: pair).dropFirst(invitations)
    // The answer to the invitation. After 1200 ms of silence, peer 1 also invites the silent peer 0.
    #expect(later.count == (milliseconds == 100 ? 1 : 2) && later.allSatisfy { $0.ssrc != second })
  }

  /// The answer to an invitation does not have the SSRC of the local invitation to the same peer.
  @Test func answerHasAnotherSSRCThanTheInvitation() throws {
    var pair = ProtectedPair()
    pair.loses = { _ in true }
    try pair.connect(from: 1, at: start)
    pair.deliver(command(.invitation, token: 77, ssrc: 4711), to: 1, .control, at: start)
    pair.exchange(at: start)
    let invitation = try #require(commands(.invitation, by: 1, .control, in: pair).first)
    let answer = try #require(commands(.accepted, by: 1, .control, in: pair).first)
    #expect(answer.ssrc != invitation.ssrc)
  }

  /// A standard device ignores the mark of an invitation, and accepts the invitation. The inviting peer does not downgrade to an
  /// unprotected session. It ends the invitation and reports the missing mark.
  @Test func acceptanceWithoutTheMarkIsRefused() throws {
    var pair = ProtectedPair()
    pair.loses = { _ in true }
    let id = try pair.connect(from: 0, at: start)
    let token = try #require(commands(.invitation, by: 0, .control, in: pair).first).token
    let acceptance = octets { SessionCommand(.accepted, token: token, ssrc: 4711, name: "device").append(to: &$0) }
    pair.deliver(acceptance, to: 0, .control, at: start)
    pair.exchange(from: start, to: start + .seconds(2))
    #expect(pair.nodes[0].outputs == [.hasOtherMark(id, isMarked: false)])
    #expect(commands(.invitation, by: 0, .data, in: pair).isEmpty)
  }
}

import BasicContainers
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

@testable import PeerProtocol

/// Tests with forged and recorded packets of the handshake. In the tests with two peers, peer 0 has invited peer 1.
@Suite struct HostileHandshakeTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func octets(_ packet: HandshakePacket) -> [UInt8] {
    var datagram = RigidArray<UInt8>(capacity: 80)
    _ = packet.append(to: &datagram)
    return (0..<datagram.count).map { datagram[$0] }
  }

  /// The packets of the handshake of one kind that a peer has sent.
  private func packets(_ kind: HandshakePacket.Kind, by n: Int, in pair: ProtectedPair) -> [HandshakePacket] {
    pair.sent.filter { $0.sender == n }.compactMap { HandshakePacket($0.octets.span) }.filter { $0.kind == kind }
  }

  /// A pair whose network loses all handshake packets that peer `n` sends. The time is one second after the invitation.
  private func pairWithoutPackets(of n: Int) throws -> ProtectedPair {
    var pair = ProtectedPair()
    pair.loses = { $0.sender == n && HandshakePacket($0.octets.span) != nil }
    try pair.connect(from: 0, at: start)
    pair.exchange(from: start, to: start + .seconds(1))
    return pair
  }

  /// Anybody can send wrong proofs, and each evaluation takes several hashes. Therefore at most 64 packets are
  /// evaluated for each candidate.
  @Test func evaluatedPacketsOfACandidateAreLimited() throws {
    var pair = try pairWithoutPackets(of: 0)
    let hello = try #require(packets(.hello, by: 0, in: pair).first)
    for n in UInt8(0)..<200 {
      let forged = HandshakePacket(
        .proof, ssrc: hello.ssrc, identity: hello.identity, nonce: hello.nonce,
        proof: [UInt8](repeating: n, count: 32))
      pair.deliver(octets(forged), to: 1, .data, at: start + .seconds(1))
    }
    #expect(pair.nodes[1].endpoint.peerExtension?.rejectedProofs == 64)
  }

  /// The answer to a hello contains a proof. The initiator of a session must not answer a hello, because an attacker
  /// could pass the proof on to another peer.
  @Test func initiatorAnswersNoHello() throws {
    var pair = try pairWithoutPackets(of: 1)
    let ssrc = try #require(packets(.answer, by: 1, in: pair).first).ssrc
    let hello = HandshakePacket(.hello, ssrc: ssrc, identity: 9, nonce: .init(high: 5, low: 6))
    pair.deliver(octets(hello), to: 0, .data, at: start + .seconds(1))
    pair.exchange(at: start + .seconds(1))
    #expect(packets(.answer, by: 0, in: pair).isEmpty)
  }

  /// The proof of the answerer does not prove the role of the initiator, although both know the same key.
  @Test func proofOfTheOtherRoleIsRefused() throws {
    let hello = HandshakePacket(.hello, ssrc: 1, identity: 2, nonce: .init(high: 3, low: 4))
    let answer = HandshakePacket(.answer, ssrc: 5, identity: 6, nonce: .init(high: 7, low: 8))
    let handshake = try #require(Handshake(ProtectedPair.key, initiator: hello, answerer: answer, token: 9))
    #expect(!handshake.isValid(handshake.proof(of: .answerer), of: .initiator))
    #expect(!handshake.isValid(handshake.proof(of: .initiator), of: .answerer))
  }

  /// In an established session, recorded packets of the handshake get no answer.
  @Test func recordedHelloIsNotAnswered() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    let answers = packets(.answer, by: 1, in: pair).count
    for hello in packets(.hello, by: 0, in: pair) {
      pair.deliver(octets(hello), to: 1, .data, at: start + .milliseconds(100))
    }
    pair.exchange(at: start + .milliseconds(100))
    #expect(answers > 0 && packets(.answer, by: 1, in: pair).count == answers)
    #expect(pair.nodes.allSatisfy { $0.session != nil })
  }

  /// The SSRCs and the token of a session have only 32 bits each, so they can be repeated in a later session. The nonces make the keys
  /// of each session new nevertheless.
  @Test func eachSessionHasNewNonces() throws {
    var pair = ProtectedPair()
    for second in Int64(0)..<4 {
      try pair.connect(from: 0, at: start + .seconds(second))
      let session = try #require(pair.nodes[0].session)
      pair.nodes[0].endpoint.close(session, at: start + .seconds(second))
      pair.exchange(at: start + .seconds(second))
    }
    let nonces = (packets(.hello, by: 0, in: pair) + packets(.answer, by: 1, in: pair)).map(\.nonce)
    // Each of the four sessions has two nonces.
    #expect(nonces.count == 8 && Set(nonces).count == 8)
  }

  /// The handshake packets of a peer come back to the peer itself. They contain its own SSRC and identity, and
  /// establish no session.
  @Test func packetsThatComeBackEstablishNoSession() throws {
    var pair = try pairWithoutPackets(of: 1)
    for hello in packets(.hello, by: 0, in: pair) {
      pair.deliver(octets(hello), to: 0, .data, at: start + .seconds(1))
    }
    pair.exchange(at: start + .seconds(1))
    #expect(pair.nodes[0].session == nil && packets(.answer, by: 0, in: pair).isEmpty)
  }
}

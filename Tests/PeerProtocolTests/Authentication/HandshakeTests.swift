import BasicContainers
import RTPMIDI
import Testing

@testable import PeerProtocol

/// Tests of the computations of the handshake (``Handshake``).
@Suite struct HandshakeTests {
  private let group = GroupKey([UInt8](repeating: 0x5A, count: 32))
  private let hello = HandshakePacket(.hello, ssrc: 0x1111_1111, identity: 0xA, nonce: .init(high: 1, low: 2))
  private let answer = HandshakePacket(.answer, ssrc: 0x2222_2222, identity: 0xB, nonce: .init(high: 3, low: 4))
  private let token: UInt32 = 0x0102_0304

  /// The octets of a hexadecimal text.
  private func octets(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).map {
      UInt8(hex.dropFirst($0).prefix(2), radix: 16)!
    }
  }

  /// The expected values were computed with hmac and hashlib of Python by the formulas at ``Handshake``.
  @Test func proofsAndKeysAreThoseOfAnotherImplementation() throws {
    let handshake = try #require(Handshake(group, initiator: hello, answerer: answer, token: token))
    let initiator = octets("ffcece43764e783a4fe6d7923ec866059e86e828a8ede1b92cfde68e8934b54c")
    let answerer = octets("b28ce79b4738c03f1c01b44f20dd1b633de5cbffb8f883e7b47b3090e779857a")
    #expect(handshake.proof(of: .initiator) == initiator)
    #expect(handshake.proof(of: .answerer) == answerer)
    #expect(handshake.isValid(initiator, of: .initiator) && handshake.isValid(answerer, of: .answerer))
    #expect(!handshake.isValid(initiator, of: .answerer) && !handshake.isValid([], of: .initiator))
    let keys = handshake.keys(of: .initiator)
    #expect(keys.sending == TagKey(low: 0x9b07_45a9_4d59_ce10, high: 0xc358_dd21_1126_a862))
    #expect(keys.receiving == TagKey(low: 0x1925_9d2b_2235_6c8f, high: 0x6421_37a9_663f_38bd))
    let other = handshake.keys(of: .answerer)
    #expect(other.sending == keys.receiving && other.receiving == keys.sending)
  }

  /// The proofs and the keys depend on the passkey, on all fields of both packets, and on the token of the session. A packet that is
  /// changed on the way makes the proofs wrong.
  @Test func everyFieldChangesTheProofs() throws {
    let original = try #require(Handshake(group, initiator: hello, answerer: answer, token: token))
    func packet(
      _ packet: HandshakePacket, ssrc: UInt32? = nil, identity: UInt64? = nil, nonce: HandshakePacket.Nonce? = nil
    ) -> HandshakePacket {
      HandshakePacket(
        packet.kind, ssrc: ssrc ?? packet.ssrc, identity: identity ?? packet.identity, nonce: nonce ?? packet.nonce)
    }
    let others = [
      Handshake(GroupKey([UInt8](repeating: 1, count: 32)), initiator: hello, answerer: answer, token: token),
      Handshake(group, initiator: packet(hello, ssrc: 5), answerer: answer, token: token),
      Handshake(group, initiator: packet(hello, identity: 5), answerer: answer, token: token),
      Handshake(group, initiator: packet(hello, nonce: .init(high: 1, low: 5)), answerer: answer, token: token),
      Handshake(group, initiator: hello, answerer: packet(answer, ssrc: 5), token: token),
      Handshake(group, initiator: hello, answerer: packet(answer, identity: 5), token: token),
      Handshake(group, initiator: hello, answerer: packet(answer, nonce: .init(high: 5, low: 4)), token: token),
      Handshake(group, initiator: hello, answerer: answer, token: 5),
    ]
    for other in others {
      let other = try #require(other)
      #expect(!original.isValid(other.proof(of: .initiator), of: .initiator))
      #expect(!original.isValid(other.proof(of: .answerer), of: .answerer))
      #expect(original.keys(of: .initiator) != other.keys(of: .initiator))
    }
  }

  /// A packet that comes back to its sender has the SSRC and the identity of the sender.
  @Test func equalSSRCsAndEqualIdentitiesAreRefused() {
    let reflected = HandshakePacket(.answer, ssrc: hello.ssrc, identity: 0xB, nonce: answer.nonce)
    let same = HandshakePacket(.answer, ssrc: answer.ssrc, identity: hello.identity, nonce: answer.nonce)
    #expect(Handshake(group, initiator: hello, answerer: reflected, token: token) == nil)
    #expect(Handshake(group, initiator: hello, answerer: same, token: token) == nil)
  }

  @Test func packetsAreReadAsTheyWereWritten() throws {
    var proof = HandshakePacket(.proof, ssrc: 7, identity: .max, nonce: .init(high: .max, low: 9))
    proof.proof = (0..<32).map { UInt8($0) }
    for packet in [hello, proof] {
      var datagram = RigidArray<UInt8>(capacity: 80)
      let isAppended = packet.append(to: &datagram)
      #expect(isAppended && HandshakePacket(datagram.span) == packet)
      for length in 0..<datagram.count { #expect(HandshakePacket(datagram.span.extracting(first: length)) == nil) }
    }
  }
}

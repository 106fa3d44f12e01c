import MusicalTime
import RTPMIDI
import Testing

@testable import PeerProtocol

/// Tests of the one decoder and encoder of all messages between Tutti peers.
@Suite struct PeerMessageTests {
  private static let digest = DocumentDigest(high: 7, low: 0)!
  /// One message of each kind.
  private static let messages: [PeerMessage] = [
    .timeline(
      TimelineMessage(
        claim: Claim(term: 3, identity: Identity(9)), revision: 1, start: Tick(0), end: Tick(.max),
        tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 5))))),
    .presence(Presence(identity: Identity(9), claim: nil, channel: nil, gates: .all, takesOver: true)),
    .offer(Offer(claim: Claim(term: 3, identity: Identity(9)), isParting: false)),
    .usedIdentity(UsedIdentity(Identity(9))),
    .documentRequest(DocumentRequest(.rhythm, digest, from: 2)),
    .documentPart(DocumentPart(.rhythm, digest, index: 0, of: 1, octets: [1])),
    .phrase(
      PhraseMessage(
        from: Identity(1), to: Identity(2), stepCount: 4, notes: [.init(step: 1, key: 60, velocity: 127, length: 2)])),
    .introduction(
      Introduction.messages([
        .init(
          identity: Identity(1), name: "Zoë", host: SocketAddress(host: 0xC0A8_0105, port: 5004), controlPort: 5004,
          dataPort: 5005, hops: 1),
        .init(identity: Identity(2), name: "", host: nil, controlPort: 7000, dataPort: 7001, hops: 15),
      ])[0]),
    .relayRequest(RelayRequest([Identity(1), Identity(.max)])),
    .relayedPresence(
      RelayedPresence(
        Presence(
          identity: Identity(9), claim: nil, channel: nil, gates: .all, takesOver: true, number: 77,
          memberGates: MemberGates(Identity(8), .all)), hops: 2,
        clock: .init(
          instant: Instant(nanoseconds: 5), offset: .seconds(-3), skew: 12.5, uncertainty: .microseconds(300)))),
    .relayedTimeline(
      RelayedTimeline(
        TimelineMessage(
          claim: Claim(term: 3, identity: Identity(9)), revision: 1, start: Tick(0), end: Tick(.max),
          tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 5)))), hops: 1)),
  ]

  @Test(arguments: messages) func everyKindIsDecoded(message: PeerMessage) throws {
    #expect(try PeerMessage(systemExclusive: message.systemExclusive) == message)
  }

  /// The octets after 7D 54 are the version and the kind. A message is unreadable with another version or kind, and if it is truncated.
  @Test(arguments: messages) func otherVersionsKindsAndLengthsAreUnreadable(message: PeerMessage) {
    let octets = message.systemExclusive
    var (version, kind) = (octets, octets)
    version[2] += 1
    kind[3] = 0x7F
    for octets in [version, kind, octets.dropLast(), Array(octets.prefix(3)), Array(octets.prefix(2))] {
      #expect(throws: PeerMessage.Unreadable.self) { try PeerMessage(systemExclusive: octets) }
    }
  }

  /// The octets 7D 54 are the mark of Tutti. 43 is the identifier of a manufacturer.
  @Test func messagesOfOtherProgramsAreNoMessages() throws {
    for octets in [[], [0x7D], [0x7D, 0x55, 1, 1], [0x43, 0x10, 0x01]] as [[UInt8]] {
      #expect(try PeerMessage(systemExclusive: octets) == nil)
    }
  }
}

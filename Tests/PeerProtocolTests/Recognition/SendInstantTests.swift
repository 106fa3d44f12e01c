import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of the send instant in the header extension of a packet.
@Suite struct SendInstantTests {
  private let instant = Instant(nanoseconds: 1_234_567_890)

  private func decode(_ octets: [UInt8]) throws -> (RTPHeader, Extent) { try RTPHeader.decode(octets.span) }

  @Test func sendInstantIsRead() throws {
    let packet = hex(
      """
      92 61 00 01 00 00 00 02 00 00 00 03  ; extension, two contributing sources
      11 11 11 11 22 22 22 22              ; the sources
      54 55 00 02                          ; profile "TU", two words
      FF FF FF FF FF FF FF FE              ; send instant, -2 ns
      01 F8                                ; payload
      """)
    let (header, payload) = try decode(packet)
    #expect(header.sendInstant(in: packet.span) == Instant(nanoseconds: -2) && header.ssrc == 3)
    #expect(payload.start == 32 && payload.end == 34)
    for count in 0..<32 { #expect(throws: PacketError.self, "\(count) octets") { try decode(Array(packet[..<count])) } }
    // An extension with the same length and another profile (octets 20 and 21) is skipped.
    for (index, octet) in [(20, 0x53), (21, 0x54)] as [(Int, UInt8)] {
      var other = packet
      other[index] = octet
      #expect(try decode(other).0.sendInstant(in: other.span) == nil && decode(other).1.start == 32)
    }
    // An extension that is shorter than two words has no send instant. Octet 23 is the number of words.
    for words in 0...2 {
      var other = packet
      other[23] = UInt8(words)
      let (header, payload) = try decode(other)
      #expect(payload.start == 24 + 4 * words && (header.sendInstant(in: other.span) == nil) == (words < 2))
    }
  }

  @Test func everyPacketHasRoomForTheSendInstant() {
    var sender = PacketSender(ssrc: 0x1122_3344, sequence: 7)
    sender.sendsInstants = true
    let tick = octets { _ = sender.encode(.clock, at: instant, into: &$0) }
    // The time stamp 30 39 is `instant` in units of 100 us: 12345.
    #expect(
      tick
        == hex(
          """
          90 61 00 07 00 00 30 39 11 22 33 44  ; X is 1
          54 55 00 02                          ; profile "TU", two words
          00 00 00 00 00 00 00 00              ; zeros, which the sending thread overwrites
          01 F8                                ; command list of one octet: a Clock
          """))
    // The send instant has eight octets. The two octets of the payload follow.
    #expect(tick.count - 2 - RTPHeader.instantOffset == 8)
    sender.sendsJournal = true
    let data: [UInt8] = [0x7D, 1]
    let others = [
      octets { _ = sender.encode(.start, at: instant, into: &$0) },
      octets { _ = sender.encodeGuard(at: instant, into: &$0) },
      octets { _ = sender.encode(systemExclusive: rigid(data), at: instant, into: &$0) },
    ]
    #expect(others.allSatisfy { Array($0[12..<24]) == hex("54 55 00 02 00 00 00 00 00 00 00 00") })
    // There is no packet if the extension does not fit.
    for capacity in 0..<(PacketSender.longestBarePacket + HeaderExtension.sendInstant.length) {
      let packet = octets(capacity: capacity) {
        let isSent = sender.encode(.clock, at: instant, into: &$0)
        #expect(!isSent)
      }
      #expect(packet == [])
    }
    // A segment of a long System Exclusive fills its packet.
    let long = [UInt8](repeating: 1, count: 3000)
    let segment = octets { _ = sender.encode(systemExclusive: rigid(long), at: instant, into: &$0) }
    #expect(segment.count <= 1472 && segment.count > 1300)
    // A restarted stream has no extension: the packet has an RTP header and a payload of two octets.
    sender.restart(ssrc: 1, sequence: 1)
    let sendsInstants = sender.sendsInstants
    #expect(!sendsInstants)
    #expect(octets { _ = sender.encode(.clock, at: instant, into: &$0) }.count == 14)
  }

  /// Enables send instants, as the clock thread does, and reads the send instant of `packet`, as a receiving thread does. The
  /// debug build proves that the function neither allocates nor locks.
  @_noLocks @_noAllocation
  private static func readInstant(
    _ sender: inout PacketSender, _ packet: Span<UInt8>
  ) -> Instant? {
    sender.sendsInstants = true
    guard sender.sendsInstants else { return nil }
    do {
      return try RTPHeader.decode(packet).header.sendInstant(in: packet)
    } catch {
      return nil
    }
  }

  @Test func realTimeThreadCanReadASendInstant() {
    var sender = PacketSender(ssrc: 1, sequence: 1)
    sender.sendsInstants = true
    let packet = octets { _ = sender.encode(.clock, at: instant, into: &$0) }
    #expect(Self.readInstant(&sender, packet.span) == Instant(nanoseconds: 0))
  }
}

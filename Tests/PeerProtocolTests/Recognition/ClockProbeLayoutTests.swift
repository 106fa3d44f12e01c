import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of the layout of the three kinds of clock probes.
@Suite struct ClockProbeLayoutTests {
  @Test func layoutIsAsDocumented() throws {
    let request = ClockProbe(
      ssrc: 0x0102_0304, identity: 0xF1F2_F3F4_F5F6_F7F8, rateLimit: 50, origin: Instant(nanoseconds: 3),
      receive: Instant(nanoseconds: 4), sentAt: Instant(nanoseconds: -2))
    let packet = hex(
      """
      FF FF 54 55              ; TU
      03 00 00 32              ; version 3, request, at most 50 requests per second
      01 02 03 04              ; sender's SSRC
      F1 F2 F3 F4 F5 F6 F7 F8  ; sender's identity
      00 00 00 00 00 00 00 03  ; origin: transmit stamp of the newest acknowledgement
      00 00 00 00 00 00 00 04  ; receive: arrival of this acknowledgement
      FF FF FF FF FF FF FF FE  ; transmit: -2 ns
      """)
    #expect(encoded { request.append(to: &$0) } == packet)
    #expect(ClockProbe(packet.span) == request)
    #expect(ClockProbe((packet + [1]).span) == request, "octets after the last field are ignored")
    #expect(packet[ClockProbe.transmitOffset...].count == 8 && packet.count == ClockProbe.length)
    #expect(encoded(capacity: ClockProbe.length - 1) { request.append(to: &$0) } == nil)
    let reply = try #require(
      request.answer(
        from: 9, identity: 8, rateLimit: 0x0102, receivedAt: Instant(nanoseconds: 0x10),
        sentAt: Instant(nanoseconds: 0x1122_3344_5566_7788)))
    let answer = hex(
      """
      FF FF 54 55              ; TU
      03 01 01 02              ; version 3, reply, rate limit 0x0102
      00 00 00 09              ; sender's SSRC
      00 00 00 00 00 00 00 08  ; sender's identity
      FF FF FF FF FF FF FF FE  ; origin: transmit stamp of the request
      00 00 00 00 00 00 00 10  ; receive: arrival of the request
      11 22 33 44 55 66 77 88  ; transmit
      """)
    #expect(encoded { reply.append(to: &$0) } == answer)
    #expect(ClockProbe(answer.span) == reply)
    let acknowledgement = try #require(
      reply.answer(from: 5, identity: 6, receivedAt: Instant(nanoseconds: 0x20), sentAt: Instant(nanoseconds: 0x30)))
    let last = hex(
      """
      FF FF 54 55              ; TU
      03 02 00 00              ; version 3, acknowledgement, no rate limit
      00 00 00 05              ; sender's SSRC
      00 00 00 00 00 00 00 06  ; sender's identity
      11 22 33 44 55 66 77 88  ; origin: transmit stamp of the reply
      00 00 00 00 00 00 00 20  ; receive: arrival of the reply
      00 00 00 00 00 00 00 30  ; transmit
      """)
    #expect(encoded { acknowledgement.append(to: &$0) } == last)
    #expect(ClockProbe(last.span) == acknowledgement)
    #expect(acknowledgement.answer(from: 1, identity: 1, receivedAt: .distantFuture, sentAt: .distantFuture) == nil)
  }

  @Test func invalidProbesAreRejected() {
    let peers = PeerExtension(identity: 1)
    for (packet, error) in [
      // Kind 3, a probe without its last octet, and a probe of another version without a complete SSRC.
      ("FF FF 54 55 03 03 00 00" + String(repeating: " 00", count: 36), PacketError.malformedControl),
      ("FF FF 54 55 03 00 00 00" + String(repeating: " 00", count: 35), .truncated),
      ("FF FF 54 55 02 00 00 00 00 00 00", .truncated),
    ] {
      #expect(throws: error, "\(packet)") { try peers.ssrc(ofControlPacket: hex(packet).span) }
      #expect(ClockProbe(hex(packet).span) == nil)
    }
    // The extension claims a probe of another version, which names its sender. It does not claim the packets of other commands.
    #expect(try! peers.ssrc(ofControlPacket: hex("FF FF 54 55 02 00 00 00 00 00 00 07").span) == 7)
    #expect(try! peers.ssrc(ofControlPacket: hex("FF FF 58 58").span) == nil)
  }

  /// Encodes the reply to a probe, as the network thread does. Returns false if `datagram` is no probe that has a reply. The
  /// debug build proves that the function neither allocates nor locks.
  @_noLocks @_noAllocation
  private static func answer(
    _ datagram: borrowing Span<UInt8>, ssrc: UInt32, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    packet.removeAll()
    guard let probe = ClockProbe(datagram),
      let reply = probe.answer(from: ssrc, identity: 1, receivedAt: instant, sentAt: instant)
    else { return false }
    return reply.append(to: &packet)
  }

  @Test func realTimeThreadCanAnswerAProbe() throws {
    var packet = RigidArray<UInt8>(capacity: 100)
    let now = Instant(nanoseconds: 1_000_000_000)
    let probe = try #require(encoded { ClockProbe(ssrc: 3, identity: 9, sentAt: now).append(to: &$0) })
    #expect(Self.answer(probe.span, ssrc: 4, at: now, into: &packet) && packet.count == ClockProbe.length)
  }
}

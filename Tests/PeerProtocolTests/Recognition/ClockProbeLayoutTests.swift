import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import VirtualSessions

@Suite struct ClockProbeLayoutTests {
  @Test func layout() throws {
    let request = ClockProbe(
      ssrc: 0x0102_0304, identity: 0xF1F2_F3F4_F5F6_F7F8, rateLimit: 50, origin: Instant(nanoseconds: 3),
      receive: Instant(nanoseconds: 4), sentAt: Instant(nanoseconds: -2))
    let packet = hex(
      """
      FF FF 54 55              ; TU
      02 00 00 32              ; version 2, request, at most 50 requests per second
      01 02 03 04              ; sender's ssrc
      F1 F2 F3 F4 F5 F6 F7 F8  ; sender's identity
      00 00 00 00 00 00 00 03  ; origin: the newest acknowledgement's transmit stamp
      00 00 00 00 00 00 00 04  ; receive: when it arrived
      FF FF FF FF FF FF FF FE  ; transmit, in nanoseconds
      """)
    #expect(encoded { request.append(to: &$0) } == packet)
    #expect(ClockProbe(packet.span) == request && ClockProbe(rigid(packet)) == request)
    #expect(ClockProbe((packet + [1]).span) == request, "octets after the last field are ignored")
    #expect(packet[ClockProbe.transmitOffset...].count == 8 && packet.count == ClockProbe.length)
    #expect(encoded(capacity: ClockProbe.length - 1) { request.append(to: &$0) } == nil)
    let reply = try #require(
      request.answer(
        from: 9, identity: 8, rateLimit: 0x0102, receivedAt: Instant(nanoseconds: 0x10),
        sentAt: Instant(nanoseconds: 0x1122_3344_5566_7788)))
    let answer = hex(
      """
      FF FF 54 55
      02 01 01 02              ; version 2, reply, rate limit
      00 00 00 09
      00 00 00 00 00 00 00 08
      FF FF FF FF FF FF FF FE  ; origin: the request's transmit stamp
      00 00 00 00 00 00 00 10  ; receive
      11 22 33 44 55 66 77 88  ; transmit
      """)
    #expect(encoded { reply.append(to: &$0) } == answer)
    #expect(ClockProbe(answer.span) == reply && ClockProbe(rigid(answer)) == reply)
    let last = try #require(
      reply.answer(from: 5, identity: 6, receivedAt: Instant(nanoseconds: 0x20), sentAt: Instant(nanoseconds: 0x30)))
    let acknowledgement = hex(
      """
      FF FF 54 55
      02 02 00 00              ; version 2, acknowledgement
      00 00 00 05
      00 00 00 00 00 00 00 06
      11 22 33 44 55 66 77 88  ; origin: the reply's transmit stamp
      00 00 00 00 00 00 00 20  ; receive
      00 00 00 00 00 00 00 30  ; transmit
      """)
    #expect(encoded { last.append(to: &$0) } == acknowledgement)
    #expect(ClockProbe(acknowledgement.span) == last && ClockProbe(rigid(acknowledgement)) == last)
    #expect(last.answer(from: 1, identity: 1, receivedAt: .distantFuture, sentAt: .distantFuture) == nil)
  }

  @Test func invalidProbesAreRejected() {
    let peers = PeerExtension(identity: 1)
    for (packet, error) in [
      ("FF FF 54 55 01 00 00 00" + String(repeating: " 00", count: 36), PacketError.malformedControl),
      ("FF FF 54 55 02 03 00 00" + String(repeating: " 00", count: 36), .malformedControl),
      ("FF FF 54 55 02 00 00 00" + String(repeating: " 00", count: 35), .truncated),
    ] {
      #expect(throws: error, "\(packet)") { try peers.ssrc(ofControlPacket: hex(packet).span) }
      #expect(ClockProbe(hex(packet).span) == nil && ClockProbe(rigid(hex(packet))) == nil)
    }
    #expect(try! peers.ssrc(ofControlPacket: hex("FF FF 58 58").span) == nil)
  }

  /// The network thread answers probes in functions that may neither allocate nor lock. The debug build proves that this compiles.
  @_noLocks @_noAllocation
  private static func answer(
    _ datagram: borrowing RigidArray<UInt8>, ssrc: UInt32, at instant: Instant, into packet: inout RigidArray<UInt8>
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
    #expect(Self.answer(rigid(probe), ssrc: 4, at: now, into: &packet) && packet.count == ClockProbe.length)
  }
}

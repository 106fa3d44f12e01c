import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Receiving

/// The kind of a datagram and the SSRC of its sender.
@Suite struct DatagramHeaderTests {
  private func header(_ octets: [UInt8]) -> DatagramHeader {
    DatagramHeader(octets.span)
  }

  @Test(arguments: [SessionCommand.Kind.invitation, .accepted, .rejected, .bye])
  func sessionCommandHasTheSSRCAfterTheToken(kind: SessionCommand.Kind) {
    var packet = RigidArray<UInt8>(capacity: 100)
    let isEncoded = SessionCommand(kind, token: 1, ssrc: 0x1234_5678, name: "ada").append(to: &packet)
    let header = DatagramHeader(packet.span)
    #expect(isEncoded && header.kind == .session && header.ssrc == 0x1234_5678)
  }

  @Test func byeMayLackTheToken() {
    let header = header([0xFF, 0xFF, 0x42, 0x59, 0, 0, 0, 2, 0x12, 0x34, 0x56, 0x78])
    #expect(header.kind == .session && header.ssrc == 0x1234_5678)
  }

  /// All control packets except session commands have the kind `control`.
  @Test func clockPacketsAndFeedbackAreOneKind() {
    var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
    let isEncoded = ClockPacket(ssrc: 0x1234_5678, sentAt: Instant(nanoseconds: 1)).append(to: &packet)
    let clock = DatagramHeader(packet.span)
    #expect(isEncoded && clock.kind == .control && clock.ssrc == 0x1234_5678)
    var probe = RigidArray<UInt8>(capacity: ClockProbe.length)
    let isProbe = ClockProbe(ssrc: 0x1234_5678, identity: 9, sentAt: Instant(nanoseconds: 1)).append(to: &probe)
    let request = DatagramHeader(probe.span)
    #expect(isProbe && request.kind == .control && request.ssrc == 0x1234_5678)
    let feedback = header([0xFF, 0xFF, 0x52, 0x53, 0x12, 0x34, 0x56, 0x78, 0, 1, 0, 0])
    #expect(feedback.kind == .control && feedback.ssrc == 0x1234_5678)
  }

  @Test func anythingElseIsReadAsRTP() {
    let packet = header([0x80, 0x61, 0, 1, 0, 0, 0, 2, 0x12, 0x34, 0x56, 0x78, 1, 0xF8])
    #expect(packet.kind == .other && packet.ssrc == 0x1234_5678)
    #expect(header([]).kind == .other && header([]).ssrc == 0)
  }

  @Test func anyOctetsAreRead() {
    var random = SplitMix(seed: 1)
    var kinds = Set<DatagramHeader.Kind>()
    // Random octets. Half of the datagrams begin with FF FF and two letters, as control packets do. A clock probe has 44 octets.
    for _ in 0..<20_000 {
      var octets = (0..<Int(random.integer(in: 0...44))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if random.next() % 2 == 0 {
        let letters = ["IN", "OK", "NO", "BY", "CK", "RS", "TU", "TH", "XX"].randomElement(using: &random)!
        let command = [0xFF, 0xFF] + Array(letters.utf8)
        octets.replaceSubrange(0..<min(4, octets.count), with: command.prefix(octets.count))
      }
      kinds.insert(header(octets).kind)
    }
    #expect(kinds.count == 3, "all kinds occur")
  }
}

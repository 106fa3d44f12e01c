import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The headers of packets, their room for a header extension, and the segments of System Exclusives.
@Suite struct PacketSenderTests {
  private let instant = Instant(nanoseconds: 1_234_567_890)

  @Test func packetHasAHeaderAndOneMessage() {
    var sender = PacketSender(ssrc: 0x1122_3344, sequence: 0xFFFF)
    let first = octets { _ = sender.encode(.clock, at: instant, into: &$0) }
    #expect(
      first
        == hex(
          """
          80 61        ; version 2; M is 0, payload type 97
          FF FF        ; sequence number
          00 00 30 39  ; time stamp, 12345 units of 100 us
          11 22 33 44  ; SSRC
          01 F8        ; command list of one octet: a Clock
          """))
    // One known receiver interprets the time stamp 0 as the start of a session.
    let second = octets { _ = sender.encode(.start, at: Instant(nanoseconds: 0), into: &$0) }
    #expect(
      second == hex("80 61 00 00 00 00 00 01 11 22 33 44 01 FA"), "the sequence number wraps; the time stamp is never 0"
    )
  }

  @Test func everyPacketHasRoomForTheHeaderExtension() {
    var sender = PacketSender(ssrc: 0x1122_3344, sequence: 7)
    sender.headerExtension = HeaderExtension(profile: 0xBEDE, words: 2)
    let tick = octets { _ = sender.encode(.clock, at: instant, into: &$0) }
    #expect(
      tick
        == hex(
          """
          90 61 00 07 00 00 30 39 11 22 33 44  ; X is 1
          BE DE 00 02                          ; an extension of two words
          00 00 00 00 00 00 00 00              ; zeros, which the owner of the sender overwrites
          01 F8                                ; command list of one octet: a Clock
          """))
    // The data of the extension have eight octets. The two octets of the payload follow.
    #expect(tick.count - 2 - HeaderExtension.dataOffset == 8)
    sender.sendsJournal = true
    let data: [UInt8] = [0x7D, 1]
    let others = [
      octets { _ = sender.encode(.start, at: instant, into: &$0) },
      octets { _ = sender.encodeGuard(at: instant, into: &$0) },
      octets { _ = sender.encode(systemExclusive: rigid(data), at: instant, into: &$0) },
    ]
    #expect(others.allSatisfy { Array($0[12..<24]) == hex("BE DE 00 02 00 00 00 00 00 00 00 00") })
    // There is no packet if the extension does not fit. With two words of data, it has twelve octets. Each packet needs room for
    // the longest message, whatever its message is.
    for capacity in 0..<(PacketSender.longestBarePacket + 12) {
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
    #expect(octets { _ = sender.encode(.clock, at: instant, into: &$0) }.count == 14)
  }

  @Test func withoutRoomNothingIsAppendedAndNoSequenceNumberIsUsed() {
    var sender = PacketSender(ssrc: 1, sequence: 7)
    let data: [UInt8] = [1, 2]
    // Each packet needs room for the longest message, whatever its message is.
    for capacity in 0..<PacketSender.longestBarePacket {
      let packet = octets(capacity: capacity) {
        let isSent = sender.encode(.clock, at: instant, into: &$0)
        // An octet above 127, and no octet left to send.
        let invalid = sender.encode(systemExclusive: rigid([1, 200]), at: instant, into: &$0)
        let finished = sender.encode(systemExclusive: rigid(data), from: 2, at: instant, into: &$0)
        #expect(!isSent && invalid == nil && finished == nil)
      }
      #expect(packet == [])
    }
    // The packet with the complete System Exclusive: RTP header of 12 octets, command section of five: its header, F0, two data
    // octets, F7.
    for capacity in 0..<17 {
      let packet = octets(capacity: capacity) {
        let sent = sender.encode(systemExclusive: rigid(data), at: instant, into: &$0)
        #expect(sent == nil)
      }
      #expect(packet == [])
    }
    #expect(sender.sequence == 7)
  }

  @Test func systemExclusivesOfAllSizesArriveThroughPacketsOfAllSizes() throws {
    // The sizes and capacities are near three limits. A command list has at most 4095 octets: F0, 4093 data octets and F7. The shortest
    // segment needs a packet of 17 octets. From 16 octets of commands on, which need a packet of 30 octets, the header of the command
    // section has two octets.
    for size in Array(0...80) + [1000, 4000, 4093, 4094, 9000] {
      let data = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) & 0x7F }
      // Long data in tiny packets are left out, because they would need thousands of packets.
      for capacity in [17, 18, 19, 27, 28, 29, 30, 31, 60, 61, 1472, 65_000] where size < 100 || capacity > 30 {
        var sender = PacketSender(ssrc: 9, sequence: 65_530)
        var receiver = PacketReceiver(ssrc: 9, systemExclusiveCapacity: size)
        var finished = 0
        var sent = 0
        repeat {
          let packet = octets(capacity: capacity) { packet in
            sent = sender.encode(systemExclusive: rigid(data), from: sent, at: instant, into: &packet)!
          }
          try receiver.open(packet.span, near: instant)
          while let event = receiver.next(in: packet.span) {
            // `instant`, rounded down to units of 100 us.
            #expect(event == .systemExclusive(Instant(nanoseconds: 1_234_500_000)))
            finished += 1
          }
        } while sent < data.count
        #expect(finished == 1, "\(size) octets in packets of \(capacity)")
        let received = (0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) }
        if received != data { Issue.record("\(size) octets in packets of \(capacity)") }
      }
    }
  }
}

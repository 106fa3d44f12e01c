import BasicContainers
import MIDI
import RTPMIDI
import Testing
import _TestSupport

/// A decoded command of a payload.
enum Command: Equatable {
  /// A message and its time after the time stamp of the packet, in units of 100 us.
  case message(Int64, Message)
  case systemExclusive(SystemExclusiveSegment.Kind, [UInt8])
}

/// Decodes the commands of a packet with this payload.
func commands(of payload: [UInt8]) throws -> [Command] {
  let packet = hex("80 61 00 01 00 00 00 02 00 00 00 03") + payload
  var cursor = try CommandCursor(packet.span, payload: RTPHeader.decode(packet.span).payload)
  var result: [Command] = []
  while let command = try cursor.next(in: packet.span) {
    switch command {
    case .message(let message): result.append(.message(cursor.time, message))
    case .systemExclusive(let segment):
      result.append(.systemExclusive(segment.kind, Array(packet[segment.data.start..<segment.data.end])))
    }
  }
  return result
}

/// Encoding and decoding of the command section (RFC 6295 section 3).
@Suite struct CommandSectionTests {
  private let channel = Channel(1)!

  @Test func sectionWithOneClockHasTwoOctets() throws {
    let payload = octets { packet in
      var section = CommandSectionEncoder(in: &packet)!
      #expect(section.append(.clock, to: &packet))
      section.finish(in: &packet)
    }
    #expect(payload == hex("01 F8"))
    #expect(try commands(of: payload) == [.message(0, .clock)])
  }

  @Test func sectionWithDeltaTimesAndRunningStatusIsEncodedAndDecoded() throws {
    let payload = octets { packet in
      var section = CommandSectionEncoder(in: &packet, usesRunningStatus: true)!
      #expect(section.append(.noteOn(channel, key: 60, velocity: 1), after: 5, to: &packet))
      #expect(section.append(.noteOn(channel, key: 62, velocity: 2), after: 0x80, to: &packet))
      #expect(section.append(.clock, after: 0x4000, to: &packet))
      #expect(section.append(.noteOn(channel, key: 64, velocity: 3), after: 0xFFF_FFFF, to: &packet))
      #expect(section.append(.tuneRequest, to: &packet))
      #expect(section.append(.noteOn(channel, key: 65, velocity: 4), to: &packet))
      #expect(!section.append(.clock, after: 0x1000_0000, to: &packet))
      section.finish(in: &packet)
    }
    #expect(
      payload
        == hex(
          """
          A0 18              ; B, Z; 24 octets
          05 90 3C 01        ; delta time 5; Note On
          81 00 3E 02        ; delta time 128; Note On with running status
          81 80 00 F8        ; delta time 16384; Clock
          FF FF FF 7F 40 03  ; delta time 2^28 - 1; Note On with running status, which a Clock does not end
          00 F6              ; delta time 0; Tune Request, which ends running status
          00 90 41 04        ; delta time 0; Note On
          """))
    #expect(
      try commands(of: payload) == [
        .message(5, .noteOn(channel, key: 60, velocity: 1)), .message(133, .noteOn(channel, key: 62, velocity: 2)),
        .message(16517, .clock), .message(268_451_972, .noteOn(channel, key: 64, velocity: 3)),
        .message(268_451_972, .tuneRequest), .message(268_451_972, .noteOn(channel, key: 65, velocity: 4)),
      ])
  }

  @Test func headerHasTwoOctetsFromSixteenOctetsOfCommandsOn() throws {
    for count in 1...20 {
      // The first Clock has one octet. Each other one has two octets, because of its delta time.
      let payload = octets { packet in
        var section = CommandSectionEncoder(in: &packet)!
        for _ in 0..<count { #expect(section.append(.clock, to: &packet)) }
        section.finish(in: &packet, hasJournal: true)
      }
      let length = 2 * count - 1
      // 0x40 is the flag J. 0x80 is B, the flag of the long header.
      #expect(payload.count == length + (length > 15 ? 2 : 1))
      #expect(length > 15 ? payload[0] == 0xC0 && payload[1] == length : payload[0] == 0x40 | UInt8(length))
      #expect(try commands(of: payload).count == count)
    }
  }

  @Test func commandsAreAppendedUntilThePacketOrTheListIsFull() throws {
    for capacity in 1...40 {
      let payload = octets(capacity: capacity) { packet in
        guard var section = CommandSectionEncoder(in: &packet) else { return }
        while section.append(.songSelect(1), to: &packet) {}
        section.finish(in: &packet)
      }
      let decoded = try commands(of: payload)
      // The largest number of commands for which there is room. The first Song Select has two octets, each other one has three,
      // and the header has one or two.
      let expected = (0...14).last { count in
        let length = 3 * count - 1
        return count == 0 || length + (length > 15 ? 2 : 1) <= capacity
      }!
      #expect(decoded.count == expected, "\(capacity) octets")
    }
    // LEN has twelve bits: a list has at most 4095 octets, 2048 Clocks.
    let payload = octets(capacity: 5000) { packet in
      var section = CommandSectionEncoder(in: &packet)!
      while section.append(.clock, to: &packet) {}
      section.finish(in: &packet)
    }
    #expect(payload.count == 4097 && payload[0] == 0x8F && payload[1] == 0xFF)
    #expect(try commands(of: payload).count == 2048)
  }

  @Test func listMayBeEmptyOrEndWithADeltaTime() throws {
    #expect(try commands(of: hex("00")) == [])
    #expect(try commands(of: hex("80 00")) == [])
    #expect(try commands(of: hex("21 05")) == [], "a delta time without a command")
    #expect(
      try commands(of: hex("03 F8 83 00")) == [.message(0, .clock)], "a Clock, and a delta time without a command")
  }

  /// P = 1: the source omitted the status octet of the first command, because running status applied. The command list must contain the
  /// status octet nevertheless.
  @Test func phantomBitIsIgnored() throws {
    let note = Command.message(0, .noteOn(channel, key: 60, velocity: 1))
    #expect(try commands(of: hex("13 90 3C 01")) == [note])
    #expect(throws: PacketError.malformedCommands) { try commands(of: hex("12 3C 01")) }
  }

  /// RFC 6295 section 3.2 and figure 5. Real-time messages may be between the segments of a System Exclusive.
  @Test func systemExclusiveSegmentsAreDecoded() throws {
    #expect(try commands(of: hex("04 F0 01 02 F7")) == [.systemExclusive(.whole, [1, 2])])
    #expect(
      try commands(of: hex("0E F0 01 F0 00 F8 00 F7 02 F0 00 F7 03 F7 00")) == [
        .systemExclusive(.first, [1]), .message(0, .clock), .systemExclusive(.middle, [2]),
        .systemExclusive(.last, [3]),
      ])
    #expect(
      try commands(of: hex("07 F0 01 02 F0 00 F7 F4")) == [
        .systemExclusive(.first, [1, 2]), .systemExclusive(.cancel, []),
      ])
    #expect(try commands(of: hex("02 F7 F7")) == [.systemExclusive(.last, [])])
  }

  @Test func malformedListsAreRejected() {
    for (payload, error) in [
      // The header or the list is cut off.
      ("", PacketError.truncated), ("80", .truncated), ("02 F8", .truncated), ("8F FF F8", .truncated),
      // Data octets are missing at the end of the list, or before another status octet.
      ("01 90", .truncated), ("02 90 3C", .truncated), ("03 90 F8 01", .malformedCommands),
      // A data octet without a status octet, and undefined status octets.
      ("01 3C", .malformedCommands), ("01 F4", .malformedCommands), ("01 F9", .malformedCommands),
      // A segment of a System Exclusive that does not end, or that ends with another status octet than F0 or F7. Only a segment that
      // begins with F7 may end with F4.
      ("02 F0 01", .truncated), ("04 F0 01 F8 F7", .malformedCommands), ("03 F0 01 F4", .malformedCommands),
      ("01 F7", .truncated),
      // A delta time that does not end, or has more than four octets.
      ("21 81", .truncated), ("26 FF FF FF FF 00 F8", .malformedCommands),
      // Running status after Tune Request, which ends it.
      ("05 F6 00 3C 01 02", .malformedCommands),
    ] as [(String, PacketError)] {
      #expect(throws: error, "\(payload)") { try commands(of: hex(payload)) }
    }
  }

  @Test func noCommandFollowsAnError() throws {
    let packet = hex("80 61 00 01 00 00 00 02 00 00 00 03 05 F8 00 F9 00 F8")
    var cursor = try CommandCursor(packet.span, payload: RTPHeader.decode(packet.span).payload)
    #expect(try cursor.next(in: packet.span) == .message(.clock))
    #expect(throws: PacketError.malformedCommands) { try cursor.next(in: packet.span) }
    #expect(try cursor.next(in: packet.span) == nil)
  }

  @Test(arguments: UInt64(1)...100) func encodedListDecodesToItself(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var sent: [Command] = []
    var time: Int64 = 0
    let payload = octets(capacity: Int(random.integer(in: 20...1460))) { packet in
      var section = CommandSectionEncoder(in: &packet, usesRunningStatus: seed % 2 == 0)!
      for _ in 0..<random.integer(in: 0...300) {
        let status = UInt8(random.integer(in: 0x80...0xFF))
        let data = (
          UInt7(masking: UInt8(random.integer(in: 0...127))), UInt7(masking: UInt8(random.integer(in: 0...127)))
        )
        guard let message = Message(status: status, data.0, data.1) else { continue }
        let delta = UInt32(random.integer(in: 0...0xFFF_FFFF)) >> UInt32(random.integer(in: 0...28))
        guard section.append(message, after: delta, to: &packet) else { break }
        time += Int64(delta)
        sent.append(.message(time, message))
      }
      section.finish(in: &packet)
    }
    #expect(try commands(of: payload) == sent, "seed \(seed)")
  }
}

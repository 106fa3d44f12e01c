import BasicContainers
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The layouts of the AppleMIDI packets IN, OK, NO, BY, CK and RS.
@Suite struct ControlPacketTests {
  private func decode(_ octets: [UInt8]) throws -> ControlPacket { try ControlPacket(octets.span) }

  @Test func invitationIsEncodedAndDecoded() throws {
    let command = SessionCommand(.invitation, token: 0x0102_0304, ssrc: 0xA0B0_C0D0, name: "Ünal")
    let packet = hex(
      """
      FF FF 49 4E        ; IN
      00 00 00 02        ; protocol version
      01 02 03 04        ; initiator's token
      A0 B0 C0 D0        ; sender's ssrc
      C3 9C 6E 61 6C 00  ; name, NUL
      """)
    #expect(encoded { command.append(to: &$0) } == packet)
    #expect(try decode(packet) == .session(command))
    #expect(try decode(packet + [1, 2, 3]) == .session(command), "octets after the name are ignored")
    #expect(try decode(Array(packet.dropLast())) == .session(command), "the NUL may be missing")
  }

  @Test func acceptanceRejectionAndByeAreEncodedAndDecoded() throws {
    for (kind, letters) in [(.accepted, "4F 4B"), (.rejected, "4E 4F"), (.bye, "42 59")]
      as [(SessionCommand.Kind, String)]
    {
      let command = SessionCommand(kind, token: 5, ssrc: 6)
      let packet = hex("FF FF \(letters) 00 00 00 02 00 00 00 05 00 00 00 06")
      #expect(encoded { command.append(to: &$0) } == packet)
      #expect(try decode(packet) == .session(command))
    }
  }

  @Test func byeMayLackItsToken() throws {
    let short = hex("FF FF 42 59 00 00 00 02 00 00 00 06")
    #expect(try decode(short) == .session(SessionCommand(.bye, token: 0, ssrc: 6)))
    #expect(throws: PacketError.truncated) { try decode(hex("FF FF 49 4E 00 00 00 02 00 00 00 06")) }
  }

  @Test func namesAreRepairedAndLimited() throws {
    let head = hex("FF FF 49 4E 00 00 00 02 00 00 00 01 00 00 00 02")
    func name(_ octets: [UInt8]) throws -> String? {
      guard case .session(let command) = try decode(head + octets) else { return nil }
      return command.name
    }
    #expect(try name([]) == nil && name([0]) == nil)
    #expect(try name([0x41, 0xFF, 0x42, 0]) == "A\u{FFFD}B")
    #expect(try name([0x41, 0x1B, 0x0A, 0xC2, 0x85, 0]) == "A", "terminals interpret these")
    #expect(try name(Array("\u{202E}adA\u{200B}\u{2066}".utf8) + [0]) == "adA", "these change the order of characters")
    #expect(try name(Array("\u{200B} \u{FEFF}\u{3164}\u{A0}".utf8) + [0]) == nil, "nothing is visible")
    #expect(try name([UInt8](repeating: 0x41, count: 65_000)) == String(repeating: "A", count: 48))
    let sent = SessionCommand(.invitation, token: 1, ssrc: 2, name: String(repeating: "xé", count: 30))
    let packet = try #require(encoded { sent.append(to: &$0) })
    // The limit of 48 octets has room for 16 times three octets.
    #expect(packet.count == 16 + 48 + 1, "complete characters only")
    #expect(
      try decode(packet)
        == .session(SessionCommand(.invitation, token: 1, ssrc: 2, name: String(repeating: "xé", count: 16))))
    // A device has cut its name in the middle of a character, after 15 or after 63 octets.
    #expect(try name(Array("aaaaaaaaaaaaaaü".utf8.prefix(15)) + [0]) == "aaaaaaaaaaaaaa")
    #expect(try name(Array(String(repeating: "\u{1B}", count: 61).utf8) + Array("aü".utf8.prefix(2))) == "a")
    // A name of up to 63 octets, as other implementations send it, is read and cut.
    #expect(try name(Array(String(repeating: "a", count: 47).utf8) + Array("e\u{301}bcd".utf8) + [0])?.utf8.count == 47)
    // Any invitation requires room for the longest name, 48 octets, and its NUL: 65 octets.
    #expect(encoded(capacity: 64) { sent.append(to: &$0) } == nil)
  }

  @Test func clockPacketsAreEncodedAndDecoded() throws {
    // This instant has 0x3C_0000_0001 whole units of 100 us, so both words of stamp 1 have bits.
    let first = ClockPacket(ssrc: 0x0A0B_0C0D, sentAt: Instant(nanoseconds: 25_769_803_776_123_456))
    #expect(first.stamp1 == 257_698_037_761 && first.count == 0)
    let second = try #require(first.reply(from: 2, sentAt: Instant(nanoseconds: 700_050)))
    let third = try #require(second.reply(from: 1, sentAt: Instant(nanoseconds: 25_769_803_777_000_000)))
    #expect(third.reply(from: 2, sentAt: Instant(nanoseconds: 0)) == nil)
    #expect(
      encoded { third.append(to: &$0) }
        == hex(
          """
          FF FF 43 4B              ; CK
          00 00 00 01              ; sender's ssrc
          02 00 00 00              ; count, padding
          00 00 00 3C 00 00 00 01  ; stamp 1, in units of 100 us
          00 00 00 00 00 00 00 07  ; stamp 2
          00 00 00 3C 00 00 00 0A  ; stamp 3
          """))
    for clock in [first, second, third] {
      #expect(try decode(#require(encoded { clock.append(to: &$0) })) == .clock(clock))
      #expect(encoded(capacity: 35) { clock.append(to: &$0) } == nil)
    }
  }

  @Test func feedbackIsEncodedAndDecoded() throws {
    let feedback = ReceiverFeedback(ssrc: 7, sequence: 0x1234)
    let packet = hex("FF FF 52 53 00 00 00 07 12 34 00 00")
    #expect(encoded { feedback.append(to: &$0) } == packet)
    #expect(try decode(packet) == .feedback(feedback))
    #expect(
      try decode(hex("FF FF 52 53 00 00 00 07 00 00 12 34")) == .feedback(feedback),
      "the sequence number may be in the lower half word")
  }

  @Test func invalidPacketsAreRejected() {
    for (packet, error) in [
      // A packet without a command, and a packet that does not begin with FF FF.
      ("FF FF", PacketError.truncated), ("80 61 00 00", .notRTPMIDI),
      // The unknown commands XX and RL.
      ("FF FF 58 58 00 00 00 00", .unknownCommand), ("FF FF 52 4C 00 00 00 01 00 00 00 02", .unknownCommand),
      // IN with protocol version 3, CK with count 3, and CK without its last octet.
      ("FF FF 49 4E 00 00 00 03 00 00 00 01 00 00 00 02", .malformedControl),
      ("FF FF 43 4B 00 00 00 01 03 00 00 00" + String(repeating: " 00", count: 24), .malformedControl),
      ("FF FF 43 4B 00 00 00 01 00 00 00 00" + String(repeating: " 00", count: 23), .truncated),
      // TU, the clock probe of Tutti peers, and RS without its last octet.
      ("FF FF 54 55 02 00 00 00" + String(repeating: " 00", count: 36), .unknownCommand),
      ("FF FF 52 53 00 00 00 01 00 00 00", .truncated),
    ] {
      #expect(throws: error, "\(packet)") { try decode(hex(packet)) }
    }
  }
}

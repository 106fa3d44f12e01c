import MIDI
import MusicalTime
import Testing

@testable import RTPMIDI

/// Repairs from handwritten journals, as other implementations may send them.
@Suite struct RepairTests {
  private let channel = Channel(1)!

  /// A packet with a journal, without commands or with a list of at most 15 octets.
  private func packet(_ sequence: UInt16, _ list: String = "", journal: String?) -> [UInt8] {
    let commands = hex(list)
    let flags: UInt8 = journal == nil ? 0 : 0x40
    let header: [UInt8] = [0x80, 0x61, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)]
    return header + hex("00 00 00 0A 00 00 00 03") + [flags | UInt8(commands.count)] + commands + hex(journal ?? "")
  }

  private func deliver(_ receiver: inout PacketReceiver, _ packet: [UInt8]) throws -> [PacketReceiver.Event] {
    try receiver.open(packet.span, near: Instant(nanoseconds: 0))
    var events: [PacketReceiver.Event] = []
    while let event = receiver.next(in: packet.span) { events.append(event) }
    return events
  }

  private func recovered(_ receiver: inout PacketReceiver, _ packet: [UInt8]) throws -> [Message] {
    try deliver(&receiver, packet).compactMap { if case .recovered(let message, _) = $0 { message } else { nil } }
  }

  private func receiver() -> PacketReceiver { PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8) }

  @Test func repairsPrecedeCommandsAndLatePacketsAreHeldBack() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "90 3C 40", journal: nil))
    // Packet 2 has ended note 60 with velocity 17.
    let events = try deliver(
      &receiver, packet(3, "90 3E 40", journal: "20 00 01 00 09 0C 00 77 08 00 3C 91"))
    let stamp = Instant(hundredMicroseconds: 10)
    #expect(
      events == [
        .recovered(.noteOff(channel, key: 60, velocity: 17), stamp),
        .message(.noteOn(channel, key: 62, velocity: 64), stamp),
      ])
    #expect(try deliver(&receiver, packet(2, "80 3C 11 00 F8", journal: "80 00 01")) == [])
    #expect(throws: PacketError.duplicate) { try deliver(&receiver, packet(2, "80 3C 11", journal: "80 00 01")) }
    let statistics = receiver.statistics
    #expect(statistics.heldBack == 2 && statistics.reordered == 1 && statistics.lost == 0)
    #expect(statistics.repairs == 1 && statistics.recovered == 1 && statistics.uncovered == 0)
  }

  /// RFC 6295 section 4: a receiver that joins a stream reads the journal of the first packet.
  @Test func journalOfTheFirstPacketIsRead() throws {
    var receiver = receiver()
    let messages = try recovered(&receiver, packet(7, journal: "E0 00 01 90 03 E0 80 06 80 05 80 00"))
    #expect(messages == [.start, .clock, .programChange(channel, program: 5)])
    #expect(receiver.statistics.repairs == 0 && receiver.statistics.lost == 0)
  }

  /// After the loss of one packet, elements with S = 1 are known; after the loss of two, they may be lost.
  @Test(arguments: [UInt16(3), 4]) func logsWithSBitAreSkippedAfterASingleLoss(sequence: UInt16) throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "F8", journal: "80 00 01"))
    let journal = "20 00 00 00 08 40 01 87 11 0A 22"
    let pan = Message.controlChange(channel, controller: 10, value: 0x22)
    let volume = Message.controlChange(channel, controller: 7, value: 0x11)
    #expect(try recovered(&receiver, packet(sequence, journal: journal)) == (sequence == 3 ? [pan] : [volume, pan]))
  }

  /// The enhanced Chapter C logs several commands of one controller: those already received are not recovered.
  @Test func knownControllerLogsAreNotRecovered() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "B0 7B 00 00 7B 00 00 07 10", journal: nil))
    // All Notes Off, counts 1 to 3; and volume, first 15, then 16 and 17.
    let journal = "30 00 00 04 10 40 05 7B C1 7B C2 07 0F 07 10 7B C3 07 11"
    let off = Message.controlChange(channel, controller: 123, value: 0)
    let volume = Message.controlChange(channel, controller: 7, value: 17)
    #expect(try recovered(&receiver, packet(4, journal: journal)) == [off, volume])
    #expect(try recovered(&receiver, packet(7, journal: journal)) == [])
  }

  /// A note with Y = 0 is not played late, but it is held.
  @Test func noteWithoutYBitIsHeldSilently() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "F8", journal: nil))
    #expect(try recovered(&receiver, packet(3, journal: "20 00 02 00 07 08 01 F0 3C 40")) == [])
    // If the note were unknown, this command would play it.
    #expect(try recovered(&receiver, packet(5, journal: "20 00 02 00 07 08 01 F0 3C C0")) == [])
    // A journal that does not cover the loss no longer confirms the note.
    let off = Message.noteOff(channel, key: 60, velocity: 64)
    #expect(try recovered(&receiver, packet(7, journal: "80 00 07")) == [off])
  }

  /// A journal that begins after the loss: notes that it does not confirm may have ended.
  @Test func uncoveredLossEndsUnconfirmedNotes() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(65_533, "90 3C 40 00 3D 40 00 3D 40 00", journal: nil))
    _ = try deliver(&receiver, packet(65_534, "9F 3C 40", journal: nil))
    let messages = try recovered(&receiver, packet(1, journal: "20 00 00 00 07 08 01 F0 3C C0"))
    let second = Message.noteOff(channel, key: 61, velocity: 64)
    #expect(messages == [second, second, .noteOff(Channel(16)!, key: 60, velocity: 64)])
    #expect(receiver.statistics.uncovered == 1)
    // An arbitrary checkpoint covers nothing, and has no other effect.
    #expect(try recovered(&receiver, packet(3, journal: "80 3A 98")) == [.noteOff(channel, key: 60, velocity: 64)])
    #expect(receiver.statistics.uncovered == 2)
  }

  /// Chapter Q: the repair from the position of the receiver to that of the sender.
  @Test(arguments: [
    // Only Clocks are missing.
    Case("FA 00 F8 00 F8", "F0 00 04", [.clock, .clock, .clock]),
    Case("FA 00 F8 00 F8", "F0 00 61", Array(repeating: .clock, count: 96)),
    Case("FA 00 F8 00 F8", "B0 00 03", [.clock, .clock, .stop]),
    // A jump that is too wide, and one backwards.
    Case("FA 00 F8 00 F8", "F0 00 62", [.stop, .songPosition(16), .continue, .clock, .clock, .clock]),
    Case("FA 00 F8 00 F8", "E0", [.stop, .start, .clock]),
    Case("FA 00 F8 00 F8", "80", [.stop, .songPosition(0)]),
    // A single lost Start, Stop, Continue or Song Position.
    Case("F8", "C0", [.start]),
    Case("F8", "F0 00 05", [.start] + Array(repeating: .clock, count: 6)),
    Case("FA 00 F8 00 F8", "B0 00 01", [.stop]),
    Case("FA 00 F8 00 F8 00 FC", "F0 00 01", [.continue]),
    Case("FA 00 F8 00 F8 00 FC", "F0 00 02", [.continue, .clock]),
    Case("FA 00 F8 00 F8 00 FC", "E0", [.start, .clock]),
    Case("FA 00 F8 00 F8 00 FC", "90 01 2C", [.songPosition(50)]),
    Case("FA 00 F8 00 F8 00 FC", "B0 01 2C", [.songPosition(50), .continue, .clock, .stop]),
    Case("F2 00 01", "D0 03 00", [.continue]),
    Case("F2 00 01", "B0 03 05", [.songPosition(129)]),
    // The same position in another representation.
    Case("FA 00 F8 00 F8 00 F8 00 F8 00 F8 00 F8", "D0 00 06", []),
    // Positions beyond the 14 bits of Song Position, and beyond the 19 bits of the chapter.
    Case("F2 7F 7F 00 FB", "D2 80 00", [.stop, .songPosition(10922), .continue, .clock, .clock, .clock, .clock]),
    Case("F8", "F7 FF FE", [.songPosition(5461), .continue, .clock]),
  ])
  func sequencerIsRepaired(transition: Case) throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, transition.list, journal: nil))
    let octets = hex(transition.chapter).count + 2
    let journal = "40 00 01 10 \(String(octets, radix: 16)) \(transition.chapter)"
    #expect(try recovered(&receiver, packet(4, journal: journal)) == transition.repair)
    #expect(try recovered(&receiver, packet(7, journal: journal)) == [], "no state is repaired twice")
  }

  /// The count of Clocks wraps after three hours at 120 BPM.
  @Test func sequencerPositionWraps() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, journal: "40 00 01 10 05 F7 FF FE"))
    #expect(try recovered(&receiver, packet(4, journal: "40 00 01 10 03 E0")) == [.clock, .clock])
  }

  struct Case: CustomTestStringConvertible {
    let list: String
    let chapter: String
    let repair: [Message]
    var testDescription: String { "\(list): \(chapter)" }

    init(_ list: String, _ chapter: String, _ repair: [Message]) {
      (self.list, self.chapter, self.repair) = (list, chapter, repair)
    }
  }

  /// The counts are those of the session history: after a late join or a long loss, they can be far ahead.
  @Test func countsFarAheadAreAccepted() throws {
    var receiver = receiver()
    let off = Message.controlChange(channel, controller: 123, value: 0)
    let pedal = Message.controlChange(channel, controller: 64, value: 127)
    // The 40th All Notes Off, and a pedal after 41 changes.
    #expect(try recovered(&receiver, packet(1, journal: "20 00 01 00 08 40 01 7B E8 40 A9")) == [off, pedal])
    #expect(try recovered(&receiver, packet(4, journal: "20 00 01 00 08 40 01 7B E8 40 A9")) == [])
    #expect(try recovered(&receiver, packet(7, journal: "20 00 01 00 08 40 01 40 A9 7B E9")) == [off])
  }

  @Test func interruptedExclusiveIsCompletedOrDropped() throws {
    var receiver = receiver()
    let done = PacketReceiver.Event.systemExclusive(Instant(hundredMicroseconds: 10))
    func data() -> [UInt8] { (0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) } }
    // The middle segment is lost: the journal contains all data so far.
    _ = try deliver(&receiver, packet(1, "F0 01 F0", journal: nil))
    #expect(try deliver(&receiver, packet(3, "F7 03 F7", journal: "40 00 01 04 06 2C 01 01 82")) == [done])
    #expect(data() == [1, 2, 3])
    // The last segment is lost.
    _ = try deliver(&receiver, packet(4, "F0 04 F0", journal: nil))
    #expect(try deliver(&receiver, packet(6, journal: "40 00 04 04 06 2F 02 04 85")) == [done])
    #expect(data() == [4, 5])
    // A repeated log is already known.
    #expect(try deliver(&receiver, packet(9, journal: "40 00 04 04 06 2F 02 04 85")) == [])
    // The data are too long for the journal, which contains only the count.
    _ = try deliver(&receiver, packet(10, "F0 06 F0", journal: nil))
    #expect(try deliver(&receiver, packet(12, "F7 08 F7", journal: "40 00 04 04 04 24 03")) == [])
    #expect(receiver.statistics.droppedSystemExclusives == 1)
    // Two commands are lost completely; one is too long for this receiver.
    let two = "40 00 0D 04 10 2F 04 01 02 03 04 05 06 07 08 89 2F 05 87"
    #expect(try deliver(&receiver, packet(15, journal: two)) == [done])
    #expect(data() == [7] && receiver.statistics.droppedSystemExclusives == 2)
    // The lost packet has nothing to do with the open command.
    _ = try deliver(&receiver, packet(16, "F0 06 F0", journal: nil))
    #expect(try deliver(&receiver, packet(18, "F7 08 F7", journal: "80 00 11")) == [done])
    #expect(data() == [6, 8])
  }
}

import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Repairs from handwritten journals, as other implementations may send them. A journal begins with the octet S Y A H TOTCHAN[4] and
/// the checkpoint (two octets). A channel journal begins with S CHAN[4] H LENGTH[10] and an octet with the flags of its chapters.
/// ``ChapterLayoutTests`` and ``SystemChapterLayoutTests`` describe the layouts.
@Suite struct RepairTests {
  private let channel = Channel(1)!

  /// A packet with the command list `list` of at most 15 octets and with `journal`, both in hexadecimal; nil for no journal.
  private func packet(_ sequence: UInt16, _ list: String = "", journal: String?) -> [UInt8] {
    let commands = hex(list)
    let flags: UInt8 = journal == nil ? 0 : 0x40
    let header: [UInt8] = [0x80, 0x61, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)]
    return header + hex("00 00 00 0A 00 00 00 03") + [flags | UInt8(commands.count)] + commands + hex(journal ?? "")
  }

  /// Opens `packet` and returns its events.
  private func deliver(_ receiver: inout PacketReceiver, _ packet: [UInt8]) throws -> [PacketReceiver.Event] {
    try receiver.open(packet.span, near: Instant(nanoseconds: 0))
    var events: [PacketReceiver.Event] = []
    while let event = receiver.next(in: packet.span) { events.append(event) }
    return events
  }

  /// Opens `packet` and returns the messages that its journal recovers.
  private func recovered(_ receiver: inout PacketReceiver, _ packet: [UInt8]) throws -> [Message] {
    try deliver(&receiver, packet).compactMap { if case .recovered(let message, _) = $0 { message } else { nil } }
  }

  /// A receiver for System Exclusives of up to eight data octets.
  private func receiver() -> PacketReceiver { PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8) }

  @Test func repairsPrecedeCommandsAndLatePacketsAreHeldBack() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "90 3C 40", journal: nil))
    // Packet 2, a Note Off of note 60 with velocity 17, is lost. The journal contains the Note Off bit of note 60 (Chapter N)
    // and the release velocity (Chapter E).
    let events = try deliver(
      &receiver, packet(3, "90 3E 40", journal: "20 00 01 00 09 0C 00 77 08 00 3C 91"))
    let stamp = Instant(hundredMicroseconds: 10)
    #expect(
      events == [
        .recovered(.noteOff(channel, key: 60, velocity: 17), stamp),
        .message(.noteOn(channel, key: 62, velocity: 64), stamp),
      ])
    // Packet 2 arrives late: its Note Off and its Clock are held back.
    #expect(try deliver(&receiver, packet(2, "80 3C 11 00 F8", journal: "80 00 01")) == [])
    #expect(throws: PacketError.duplicate) { try deliver(&receiver, packet(2, "80 3C 11", journal: "80 00 01")) }
    let statistics = receiver.statistics
    #expect(statistics.heldBack == 2 && statistics.reordered == 1 && statistics.lost == 0)
    #expect(statistics.repairs == 1 && statistics.recovered == 1 && statistics.uncovered == 0)
  }

  /// RFC 6295 section 4: a receiver that joins a stream reads the journal of the first packet.
  @Test func journalOfTheFirstPacketIsRead() throws {
    var receiver = receiver()
    // Chapter Q: running, the Clock at the start of the song has been played. Chapter P: program 5 of bank 0.
    let messages = try recovered(&receiver, packet(7, journal: "E0 00 01 90 03 E0 80 06 80 05 80 00"))
    #expect(messages == [.start, .clock, .programChange(channel, program: 5)])
    #expect(receiver.statistics.repairs == 0 && receiver.statistics.lost == 0)
  }

  /// S = 1: the command was sent before the previous packet. If only the previous packet is lost, the command is known. If two
  /// packets are lost, the command may be lost too.
  @Test(arguments: [UInt16(3), 4]) func logsWithSBitAreSkippedAfterASingleLoss(sequence: UInt16) throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "F8", journal: "80 00 01"))
    // Chapter C with two logs: volume with S = 1 (87 11), and pan with S = 0 (0A 22).
    let journal = "20 00 00 00 08 40 01 87 11 0A 22"
    let pan = Message.controlChange(channel, controller: 10, value: 0x22)
    let volume = Message.controlChange(channel, controller: 7, value: 0x11)
    #expect(try recovered(&receiver, packet(sequence, journal: journal)) == (sequence == 3 ? [pan] : [volume, pan]))
  }

  /// The enhanced Chapter C logs several commands of one controller. The receiver does not recover commands that it has received.
  @Test func knownControllerLogsAreNotRecovered() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "B0 7B 00 00 7B 00 00 07 10", journal: nil))
    // All Notes Off (7B) with the counts 1, 2 and 3, and volume (07) with the values 15, 16 and 17.
    let journal = "30 00 00 04 10 40 05 7B C1 7B C2 07 0F 07 10 7B C3 07 11"
    let off = Message.controlChange(channel, controller: 123, value: 0)
    let volume = Message.controlChange(channel, controller: 7, value: 17)
    #expect(try recovered(&receiver, packet(4, journal: journal)) == [off, volume])
    #expect(try recovered(&receiver, packet(7, journal: journal)) == [], "the same journal contains nothing new")
  }

  /// A note with Y = 0 is not played late, but it is held. The logs are note 60 with Y = 0 (3C 40) and Y = 1 (3C C0).
  @Test func noteWithoutYBitIsHeldSilently() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, "F8", journal: nil))
    #expect(try recovered(&receiver, packet(3, journal: "20 00 02 00 07 08 01 F0 3C 40")) == [])
    // If the note were unknown, this command would play it.
    #expect(try recovered(&receiver, packet(5, journal: "20 00 02 00 07 08 01 F0 3C C0")) == [])
    // This journal does not cover the loss of packet 6, and has no log of the note. The note may have ended, so the repair ends it.
    let off = Message.noteOff(channel, key: 60, velocity: 64)
    #expect(try recovered(&receiver, packet(7, journal: "80 00 07")) == [off])
  }

  /// If the checkpoint is after the first lost packet, the journal does not cover the loss. Notes without a log in Chapter N are
  /// unconfirmed: they may have ended, so the repair ends them.
  @Test func uncoveredLossEndsUnconfirmedNotes() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(65_533, "90 3C 40 00 3D 40 00 3D 40 00", journal: nil))
    _ = try deliver(&receiver, packet(65_534, "9F 3C 40", journal: nil))
    // Packets 65535 and 0 are lost; the checkpoint is packet 0. Chapter N has a log only of note 60 of channel 1.
    let messages = try recovered(&receiver, packet(1, journal: "20 00 00 00 07 08 01 F0 3C C0"))
    let second = Message.noteOff(channel, key: 61, velocity: 64)
    #expect(messages == [second, second, .noteOff(Channel(16)!, key: 60, velocity: 64)])
    #expect(receiver.statistics.uncovered == 1)
    // An empty journal with an arbitrary checkpoint covers nothing and confirms no note.
    #expect(try recovered(&receiver, packet(3, journal: "80 3A 98")) == [.noteOff(channel, key: 60, velocity: 64)])
    #expect(receiver.statistics.uncovered == 2)
  }

  /// The repair of the receiver's sequencer. The first column contains the received commands, the second one Chapter Q of the
  /// sender: S N D C T TOP[3], and the 16 bits of CLOCK if C is set. With D, the Clock at this position has been played; without
  /// D, the next Clock plays it.
  @Test(arguments: [
    // After Start and two Clocks, the receiver is running and has played Clock 1. Clocks are missing, and in the third case also Stop.
    Case("FA 00 F8 00 F8", "F0 00 04", [.clock, .clock, .clock]),  // running, Clock 4 played
    Case("FA 00 F8 00 F8", "F0 00 61", Array(repeating: .clock, count: 96)),  // running, Clock 97 played
    Case("FA 00 F8 00 F8", "B0 00 03", [.clock, .clock, .stop]),  // stopped, Clock 3 played
    // The position of the sender is more than 96 Clocks (four quarter notes) ahead, or behind the position of the receiver.
    Case(  // running, Clock 98 played
      "FA 00 F8 00 F8", "F0 00 62", [.stop, .songPosition(16), .continue, .clock, .clock, .clock]),
    Case("FA 00 F8 00 F8", "E0", [.stop, .start, .clock]),  // running, Clock 0 played
    Case("FA 00 F8 00 F8", "80", [.stop, .songPosition(0)]),  // stopped, Clock 0 is next
    // One or more of Start, Stop, Continue and Song Position are lost.
    Case("F8", "C0", [.start]),  // running, Clock 0 is next
    Case("F8", "F0 00 05", [.start] + Array(repeating: .clock, count: 6)),  // running, Clock 5 played
    Case("FA 00 F8 00 F8", "B0 00 01", [.stop]),  // stopped, Clock 1 played
    Case("FA 00 F8 00 F8 00 FC", "F0 00 01", [.continue]),  // running, Clock 1 played
    Case("FA 00 F8 00 F8 00 FC", "F0 00 02", [.continue, .clock]),  // running, Clock 2 played
    Case("FA 00 F8 00 F8 00 FC", "E0", [.start, .clock]),  // running, Clock 0 played
    Case("FA 00 F8 00 F8 00 FC", "90 01 2C", [.songPosition(50)]),  // stopped, Clock 300 is next
    Case(  // stopped, Clock 300 played
      "FA 00 F8 00 F8 00 FC", "B0 01 2C", [.songPosition(50), .continue, .clock, .stop]),
    Case("F2 00 01", "D0 03 00", [.continue]),  // Song Position 128; running, Clock 768 is next
    Case("F2 00 01", "B0 03 05", [.songPosition(129)]),  // Song Position 128; stopped, Clock 773 played
    // Clock 5 was played, so Clock 6 is next: the positions are equal.
    Case("FA 00 F8 00 F8 00 F8 00 F8 00 F8 00 F8", "D0 00 06", []),
    // Song Position has 14 bits: positions are sent modulo 16384 sixteenth notes.
    Case(  // running, Clock 163840 is next
      "F2 7F 7F 00 FB", "D2 80 00", [.stop, .songPosition(10922), .continue, .clock, .clock, .clock, .clock]),
    // The position has 19 bits, of which TOP contains three.
    Case("F8", "F7 FF FE", [.songPosition(5461), .continue, .clock]),  // running, Clock 524286 played
  ])
  func sequencerIsRepaired(transition: Case) throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, transition.received, journal: nil))
    // Y and checkpoint 1; the system journal with Chapter Q and its LENGTH. Two packets are lost, so S = 1 has no effect.
    let length = hex(transition.chapter).count + 2
    let journal = "40 00 01 10 \(String(length, radix: 16)) \(transition.chapter)"
    #expect(try recovered(&receiver, packet(4, journal: journal)) == transition.repair)
    #expect(try recovered(&receiver, packet(7, journal: journal)) == [], "no state is repaired twice")
  }

  /// The position wraps after 2^19 Clocks, three hours at 120 BPM. From Clock 524286 to Clock 0, two Clocks are missing.
  @Test func sequencerPositionWraps() throws {
    var receiver = receiver()
    _ = try deliver(&receiver, packet(1, journal: "40 00 01 10 05 F7 FF FE"))
    #expect(try recovered(&receiver, packet(4, journal: "40 00 01 10 03 E0")) == [.clock, .clock])
  }

  /// The received command list, Chapter Q of the sender, both in hexadecimal, and the messages that the repair emits.
  struct Case: CustomTestStringConvertible {
    let received: String
    let chapter: String
    let repair: [Message]
    var testDescription: String { "\(received): \(chapter)" }

    init(_ received: String, _ chapter: String, _ repair: [Message]) {
      (self.received, self.chapter, self.repair) = (received, chapter, repair)
    }
  }

  /// The sender counts commands from the beginning of the session. If a receiver joins late or has lost many packets, the counts in the
  /// journal are therefore far ahead of the received counts.
  @Test func countsFarAheadAreAccepted() throws {
    var receiver = receiver()
    let off = Message.controlChange(channel, controller: 123, value: 0)
    let pedal = Message.controlChange(channel, controller: 64, value: 127)
    // The 40th All Notes Off (7B E8), and the sustain pedal (40 A9) after 41 changes: on.
    #expect(try recovered(&receiver, packet(1, journal: "20 00 01 00 08 40 01 7B E8 40 A9")) == [off, pedal])
    #expect(try recovered(&receiver, packet(4, journal: "20 00 01 00 08 40 01 7B E8 40 A9")) == [])
    // The 41st All Notes Off; the pedal is unchanged.
    #expect(try recovered(&receiver, packet(7, journal: "20 00 01 00 08 40 01 40 A9 7B E9")) == [off])
  }

  /// The journals contain only Chapter X. A log consists of flags, COUNT and DATA. The flags are 2F: finished, 2C: open (both
  /// with DATA), 24: open, without DATA. The last octet of DATA has bit 7 set.
  @Test func interruptedExclusiveIsCompletedOrDropped() throws {
    var receiver = receiver()
    let complete = PacketReceiver.Event.systemExclusive(Instant(hundredMicroseconds: 10))
    func data() -> [UInt8] { (0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) } }
    // Packet 2 with the middle segment is lost: the journal contains all data so far, 01 02.
    _ = try deliver(&receiver, packet(1, "F0 01 F0", journal: nil))
    #expect(try deliver(&receiver, packet(3, "F7 03 F7", journal: "40 00 01 04 06 2C 01 01 82")) == [complete])
    #expect(data() == [1, 2, 3])
    // Packet 5 with the last segment is lost.
    _ = try deliver(&receiver, packet(4, "F0 04 F0", journal: nil))
    #expect(try deliver(&receiver, packet(6, journal: "40 00 04 04 06 2F 02 04 85")) == [complete])
    #expect(data() == [4, 5])
    // Packets 7 and 8 are lost. The command of the log is already known.
    #expect(try deliver(&receiver, packet(9, journal: "40 00 04 04 06 2F 02 04 85")) == [])
    // Packet 11 with the middle segment is lost. The data are too long for the journal, which contains only the count.
    _ = try deliver(&receiver, packet(10, "F0 06 F0", journal: nil))
    #expect(try deliver(&receiver, packet(12, "F7 08 F7", journal: "40 00 04 04 04 24 03")) == [])
    #expect(receiver.statistics.droppedSystemExclusives == 1)
    // Two commands are lost completely. The first has nine data octets, too many for this receiver.
    let two = "40 00 0D 04 10 2F 04 01 02 03 04 05 06 07 08 89 2F 05 87"
    #expect(try deliver(&receiver, packet(15, journal: two)) == [complete])
    #expect(data() == [7] && receiver.statistics.droppedSystemExclusives == 2)
    // Packet 17 is lost. The journal of packet 18 is empty, so packet 17 contained no segment of the open command.
    _ = try deliver(&receiver, packet(16, "F0 06 F0", journal: nil))
    #expect(try deliver(&receiver, packet(18, "F7 08 F7", journal: "80 00 11")) == [complete])
    #expect(data() == [6, 8])
  }
}

import BasicContainers
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Tests of the checkpoint of a journal, and of the commands that the journal contains.
@Suite struct CheckpointHistoryTests {
  private let one = Channel(1)!

  @Test func firstPacketHasAnEmptyJournal() throws {
    let journalSender = JournalSender(sequence: 0xFFFF)
    journalSender.send(.clock)
    // 41 is J and the length of the command list, one octet. F8 is the Clock. 80 FF FF is S and the checkpoint, which is the packet itself.
    #expect(journalSender.packet.suffix(5) == hex("41 F8 80 FF FF")[...])
    #expect(journalSender.packet.count == 17)
  }

  @Test func clockJournalHasEightOctets() throws {
    let journalSender = JournalSender(sequence: 5)
    journalSender.send(.start, .clock, .clock)
    #expect(
      Array(journalSender.packet[12...])
        == hex(
          """
          41 F8        ; J, one octet of commands
          40 00 05     ; Y, checkpoint 5
          10 03        ; Q, system journal of 3 octets
          60           ; N and D: running, the Clock at position 0 has been played
          """))
    journalSender.send(.clock)
    // N, D and C: the Clock at position 1 has been played.
    #expect(Array(journalSender.packet[14...]) == hex("40 00 05 10 05 70 00 01"))
    // With these Clocks, the sequence number wraps. The newest packet contains the last of 70 003 Clocks. Its journal contains the position
    // of the Clock before, which is 70 001, because the first Clock has the position 0.
    for _ in 0..<70_000 { journalSender.send(.clock) }
    let journal = try SentJournal(journalSender.packet)
    #expect(journal.count == 8 && journal.q?.position == 70_001 && journalSender.discarded == 0)
  }

  @Test func chapterQContainsTheSongPosition() throws {
    let journalSender = JournalSender()
    /// Expects that `journal` has a Chapter Q with S = 1. Each journal follows a packet that has not changed Chapter Q: a guard
    /// packet, or a Clock while the sequencer is stopped.
    func expect(_ position: UInt32, played: Bool, running: Bool, _ journal: SentJournal) {
      #expect(journal.q == ChapterQ(s: true, isRunning: running, isPlayed: played, position: position))
    }
    journalSender.send(.clock)
    #expect(try journalSender.journalOfGuardPacket().q == nil, "a Clock while the sequencer is stopped")
    _ = try journalSender.journalOfGuardPacket()
    journalSender.send(.songPosition(3))
    _ = try journalSender.journalOfGuardPacket()
    expect(18, played: false, running: false, try journalSender.journalOfGuardPacket())
    journalSender.send(.continue, .clock)
    _ = try journalSender.journalOfGuardPacket()
    expect(18, played: true, running: true, try journalSender.journalOfGuardPacket())
    journalSender.send(.clock, .stop, .clock)
    expect(19, played: true, running: false, try journalSender.journalOfGuardPacket())
    journalSender.send(.continue, .clock)
    _ = try journalSender.journalOfGuardPacket()
    expect(20, played: true, running: true, try journalSender.journalOfGuardPacket())
    journalSender.send(.start)
    _ = try journalSender.journalOfGuardPacket()
    expect(0, played: false, running: true, try journalSender.journalOfGuardPacket())
  }

  @Test func songPositionWrapsAt19Bits() {
    var system = SystemHistory()
    // Song Position 16383 is Clock 98298. The first Clock after Song Position plays this Clock, and each of the other 429999 advances the
    // position by one. The position is modulo 2^19 = 524288. The arguments 0, 1 and 2 are packet numbers. With `if: true`, the commands
    // enter the checkpoint history.
    system.record(.songPosition(16383), 0, if: true)
    system.record(.continue, 1, if: true)
    for _ in 0..<430_000 { system.record(.clock, 2, if: true) }
    let expected = ChapterQ(s: false, isRunning: true, isPlayed: true, position: 98_298 + 429_999 - 524_288)
    #expect(written { try system.append(to: &$0, last: 2) } == written { try expected.append(to: &$0) })
  }

  @Test func sBitIsClearForThePreviousPacket() throws {
    let journalSender = JournalSender()
    journalSender.send(.noteOn(one, key: 60, velocity: 1), .controlChange(Channel(2)!, controller: 7, value: 1))
    let journal = try journalSender.journalOfGuardPacket()
    // The previous packet contained the command of channel 2 only.
    #expect(!journal.header.s && journal[1]!.header.s && !journal[2]!.header.s && !journal[2]!.controllers[0].s)
    let next = try journalSender.journalOfGuardPacket()
    #expect(next.header.s && next[1]!.header.s && next[2]!.controllers[0].s)
    journalSender.send(.noteOff(one, key: 60, velocity: 64))
    let off = try journalSender.journalOfGuardPacket()
    #expect(off[1]!.n!.s == false && off[1]!.off == [60] && off[1]!.notes.isEmpty && off[2]!.header.s)
  }

  @Test func journalContainsTheNewestCommandOfEachController() throws {
    let journalSender = JournalSender()
    for value: UInt8 in 1...100 {
      journalSender.send(.controlChange(one, controller: UInt7(masking: value & 1), value: UInt7(masking: value)))
    }
    let logs = try journalSender.journalOfGuardPacket()[1]!.controllers
    #expect(
      logs.map(\.number) == [1, 0] && logs.map(\.tool) == [.value(99), .value(100)],
      "only the newest command, the oldest log first")
  }

  @Test func acknowledgementTrimsTheJournal() throws {
    // The three commands are in the packets 0xFFFE, 0xFFFF and 0.
    let journalSender = JournalSender(sequence: 0xFFFE)
    journalSender.send(.channelPressure(one, pressure: 1), .programChange(one, program: 2), .pitchBend(one, 3))
    journalSender.sender.acknowledge(0xFFFD)
    #expect(try journalSender.journalOfGuardPacket().header.checkpoint == 0xFFFE, "0xFFFD is before the first packet")
    journalSender.sender.acknowledge(0xFFFE)
    let journal = try journalSender.journalOfGuardPacket()
    #expect(journal.header.checkpoint == 0xFFFF && journal[1]!.header.chapters == 0x90, "P and W")
    // The command of packet 0 is the last one that is not acknowledged.
    journalSender.sender.acknowledge(0)
    #expect(try journalSender.journalOfGuardPacket()[1] == nil && journalSender.hasUnacknowledged == false)
    journalSender.send(.stop)
    for stale in [0xFFFE, 0, journalSender.sequence, journalSender.sequence &+ 100] as [UInt16] {
      journalSender.sender.acknowledge(stale)
      #expect(journalSender.hasUnacknowledged, "\(stale) was acknowledged before, or never sent")
    }
    journalSender.sender.acknowledge(journalSender.sequence &- 1)
    let empty = try journalSender.journalOfGuardPacket()
    #expect(empty.count == 3 && empty.header.checkpoint == journalSender.sequence &- 1)
    #expect(journalSender.discarded == 0 && !journalSender.hasUnacknowledged)
  }

  @Test func historyIsBoundedWithoutAcknowledgements() throws {
    let journalSender = JournalSender(sequence: 60_000, capacity: 8)
    for number: UInt8 in 10...29 {
      journalSender.send(.controlChange(one, controller: UInt7(masking: number), value: 1))
    }
    let journal = try journalSender.journalOfGuardPacket()
    #expect(
      journal[1]!.controllers.map(\.number.value) == Array(22...29) && journalSender.discarded == 12,
      "8 of 20 are left")
    #expect(journal.header.checkpoint == 60_012, "after the newest discarded packet")
    // The next packet, 60021, is 9 packets after the checkpoint. After these 16373 packets, the next guard packet is 2^14 - 2 packets
    // after the checkpoint. At a distance of 2^14 packets, the checkpoint moves, because 16-bit sequence numbers compare correctly only
    // at distances below 2^15.
    journalSender.send([Message](repeating: .start, count: 16_383 - 10))
    #expect(try journalSender.journalOfGuardPacket()[1] != nil)
    journalSender.send(.clock)
    #expect(
      try journalSender.journalOfGuardPacket()[1] == nil && journalSender.discarded == 20,
      "the checkpoint was 2^14 packets back")
    for _ in 0..<70_000 { journalSender.send(.clock) }
    #expect(journalSender.sequence &- (try journalSender.journalOfGuardPacket().header.checkpoint) <= 1 << 14)
  }

  /// With a capacity of 256 entries, the size of the history limits the journal. With 1000 entries, the history holds all 960 notes, and
  /// the packet size limits the journal.
  @Test func journalIsCutToThePacketSize() throws {
    for capacity in [256, 1000] {
      let journalSender = JournalSender(capacity: capacity)
      for channel in 1...16 {
        for key in 0..<60 { journalSender.send(.noteOn(Channel(channel)!, key: UInt7(clamping: key), velocity: 1)) }
      }
      let whole = try journalSender.journalOfGuardPacket()
      #expect(journalSender.packet.count <= PacketSender.longestMessagePacket)
      let notes = whole.channels.map(\.notes.count).reduce(0, +)
      #expect(notes + Int(journalSender.discarded) == 960 && notes >= 256 && whole[16]!.notes.count == 60)
      // The oldest note in the journal. The notes were sent in the packets 1...960: channel by channel, 60 keys each.
      let first = try #require(whole.channels.first)
      let oldest = (Int(first.header.channel.number) - 1) * 60 + Int(first.notes[0].number.value) + 1
      #expect(whole.header.checkpoint == UInt16(oldest), "the checkpoint is the oldest packet in the journal")
      // A packet of 60 octets contains a Clock and the newest notes.
      let short = octets(capacity: 60) {
        _ = journalSender.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0)
      }
      #expect(short.count <= 60 && short[13] == 0xF8)
      #expect(try SentJournal(short)[16]!.notes.last?.number == 59)
      // A packet of 18 octets has room for a Clock and for the header of the journal.
      let bare = octets(capacity: 18) {
        _ = journalSender.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0)
      }
      #expect(try SentJournal(bare).count == 3)
      // With room for 16 octets, nothing is sent. The RTP header (12), the command section with the Clock (2) and the header of the journal
      // (3) need 17 octets.
      let sequence = journalSender.sequence
      #expect(
        octets(capacity: 16) { _ = journalSender.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0) } == [])
      #expect(journalSender.sequence == sequence)
    }
  }

  /// While no journal is sent, the history still records the position of the sequencer and the number of held notes. A restarted stream
  /// keeps nothing of the earlier stream.
  @Test func journalEnabledLaterCoversLaterPackets() throws {
    let journalSender = JournalSender()
    journalSender.sender.sendsJournal = false
    journalSender.send(.start, .clock, .clock, .noteOn(one, key: 60, velocity: 1))
    #expect(journalSender.packet.count == 16 && !journalSender.hasUnacknowledged, "no journal")
    journalSender.sender.sendsJournal = true
    #expect(try journalSender.journalOfGuardPacket().count == 3)
    journalSender.send(.clock, .noteOn(one, key: 60, velocity: 2))
    let journal = try journalSender.journalOfGuardPacket()
    #expect(
      journal.q?.position == 2 && journal[1]!.extras.map(\.value) == [2] && journal[1]!.extras.map(\.flag) == [false])
    #expect(journal.header.checkpoint == 5, "the first packet with a journal")
    journalSender.sender.restart(ssrc: 9, sequence: 77)
    let (ssrc, sendsJournal) = (journalSender.sender.ssrc, journalSender.sender.sendsJournal)
    #expect(ssrc == 9 && !sendsJournal && !journalSender.hasUnacknowledged)
    journalSender.sender.sendsJournal = true
    journalSender.send(.clock, .noteOn(one, key: 60, velocity: 2))
    let restarted = try journalSender.journalOfGuardPacket()
    #expect(restarted.header.checkpoint == 77 && restarted.q == nil && restarted[1]!.extras.isEmpty)
  }

  @Test func resetMakesEarlierCommandsInactive() throws {
    let journalSender = JournalSender()
    journalSender.send(
      .start, .clock, .songSelect(3), .tuneRequest, .activeSensing, .quarterFrame(0),
      .noteOn(one, key: 60, velocity: 1), .controlChange(one, controller: 7, value: 1),
      .controlChange(one, controller: 99, value: 1))
    journalSender.send(exclusive: [1, 2])
    journalSender.send(.reset)
    // The first guard packet follows the Reset directly, so S is 0. In the second one, S is 1.
    _ = try journalSender.journalOfGuardPacket()
    let journal = try journalSender.journalOfGuardPacket()
    #expect(journal.channels.isEmpty && journal.exclusives.isEmpty)
    // S, Chapter D, LENGTH 4.
    #expect(journal.system?.s == true && journal.system?.chapters == 0x40 && journal.d?.resets == .init(true, 1))
    #expect(journal.d?.song == nil && journal.d?.tuneRequests == nil)
    journalSender.send(.tuneRequest, .reset, .tuneRequest, .noteOn(one, key: 60, velocity: 1), .continue)
    let after = try journalSender.journalOfGuardPacket()
    #expect(after.d?.resets?.value == 2 && after.d?.tuneRequests?.value == 3, "the counts continue")
    #expect(after[1]!.extras.isEmpty && after.q?.position == 0 && after.q?.isPlayed == false)
  }
}

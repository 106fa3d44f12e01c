import BasicContainers
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Tests of the system chapters that result from sent commands.
@Suite struct SentSystemChapterTests {
  private let one = Channel(1)!

  @Test func simpleCommandsAreLogged() throws {
    let journalSender = JournalSender()
    journalSender.send(.activeSensing, .activeSensing, .songSelect(3), .songSelect(4), .tuneRequest)
    let journal = try journalSender.journalOfGuardPacket()
    #expect(journal.v == FlaggedValue(true, 2))
    #expect(
      journal.d
        == ChapterD(
          s: false, resets: nil, tuneRequests: .init(false, 1), song: .init(true, 4)))
    journalSender.send([Message](repeating: .activeSensing, count: 127))
    #expect(try journalSender.journalOfGuardPacket().v?.value == 1, "129 commands, modulo 128")
  }

  @Test func timeCodeIsLogged() throws {
    let journalSender = JournalSender()
    /// The quarter frame `number`, 0...7, with four bits of the time.
    func frame(_ number: UInt8, _ nibble: UInt8) -> Message { .quarterFrame(UInt7(masking: number << 4 | nibble)) }
    journalSender.send(frame(3, 9))
    #expect(try journalSender.journalOfGuardPacket().f == nil, "the time began before the stream")
    journalSender.send((0..<3).map { frame($0, $0 + 1) })
    _ = try journalSender.journalOfGuardPacket()
    var expected = ChapterF(
      s: true, complete: nil, isQuarterFrames: true, partial: 0x1230_0000, isBackwards: false, point: 2)
    #expect(try journalSender.journalOfGuardPacket().f == expected)
    journalSender.send((3..<8).map { frame($0, $0 + 1) })
    _ = try journalSender.journalOfGuardPacket()
    (expected.complete, expected.partial, expected.point) = (0x1234_5678, nil, 7)
    #expect(try journalSender.journalOfGuardPacket().f == expected)
    // The tape changes its direction.
    journalSender.send(frame(7, 0xF), frame(6, 0xE))
    _ = try journalSender.journalOfGuardPacket()
    (expected.partial, expected.isBackwards, expected.point) = (0x0000_00EF, true, 6)
    #expect(try journalSender.journalOfGuardPacket().f == expected)
    // Frame 5 is missing, so the incomplete time is discarded.
    journalSender.send(frame(4, 1))
    #expect(
      try journalSender.journalOfGuardPacket().f?.partial == nil,
      "frame 5 is missing: logged again from the next time on")
  }

  @Test func exclusivesAreListed() throws {
    // The five commands are in the packets 1 to 5.
    let journalSender = JournalSender()
    journalSender.send(exclusive: [1, 2, 3])
    journalSender.send(exclusive: [], isJournalled: true)
    journalSender.send(exclusive: [0x7D, 1], isJournalled: false)
    journalSender.send(exclusive: [0x7D, 2], isJournalled: false)
    journalSender.send(exclusive: [9])
    let logs = try journalSender.journalOfGuardPacket().exclusives
    // The second command is empty, but journalled. The third and the fourth command are not journalled, so their data are omitted. Of
    // these two, only the fourth has a log.
    #expect(logs.map(\.data) == [[1, 2, 3], [], [], [9]])
    #expect(logs.map(\.log.count) == [1, 2, 4, 5], "of consecutive logs without data, only the last is kept")
    #expect(logs.allSatisfy { $0.log.isListed && $0.log.status == .finished })
    // The previous packet contained the fifth command, so its S bit is 0. The S bit of the first log is that of the whole chapter.
    #expect(logs.map(\.log.s) == [false, true, true, false])
    journalSender.sender.acknowledge(4)
    #expect(try journalSender.journalOfGuardPacket().exclusives.map(\.data) == [[9]] && journalSender.hasUnacknowledged)
    journalSender.sender.acknowledge(5)
    #expect(!journalSender.hasUnacknowledged)
    journalSender.send(exclusive: [0x7D, 1], isJournalled: false)
    #expect(!journalSender.hasUnacknowledged, "a command that is not journalled needs no guard packet")
    #expect(try journalSender.journalOfGuardPacket().exclusives.map(\.data) == [[]])
  }

  @Test func segmentedExclusiveIsLogged() throws {
    let journalSender = JournalSender()
    let data = (0..<200).map { UInt8(truncatingIfNeeded: $0) & 0x7F }
    journalSender.send(exclusive: data, capacity: 150, segments: 1)
    let sent = try journalSender.journalOfGuardPacket().exclusives
    try #require(sent.count == 1 && sent[0].log.status == .open)
    #expect(sent[0].data.count > 100 && sent[0].data == Array(data.prefix(sent[0].data.count)))
    journalSender.sender.acknowledge(journalSender.sequence &- 1)
    #expect(try journalSender.journalOfGuardPacket().exclusives.isEmpty, "the receiver has acknowledged all data")
    // The command continues: the log repeats all data, because the last segment may be lost.
    var count = sent[0].data.count
    while count < data.count {
      _ = octets {
        count = journalSender.sender.encode(
          systemExclusive: rigid(data), from: count, at: Instant(nanoseconds: 1), into: &$0)!
      }
    }
    let whole = try journalSender.journalOfGuardPacket().exclusives
    try #require(whole.map(\.data) == [data])
    #expect(whole[0].log.status == .finished && whole[0].log.count == 1)
  }

  @Test func unfinishedExclusiveIsCancelled() throws {
    let journalSender = JournalSender()
    journalSender.send(exclusive: [UInt8](repeating: 1, count: 200), capacity: 100, segments: 1)
    journalSender.send(exclusive: [5])
    let logs = try journalSender.journalOfGuardPacket().exclusives
    #expect(logs.map(\.log.status) == [.cancelled, .finished])
    journalSender.sender.acknowledge(journalSender.sequence &- 1)
    #expect(try journalSender.journalOfGuardPacket().exclusives.isEmpty)
  }

  /// A segment leaves exactly the room that the journal needs. A Note On after each segment makes the journal longer.
  @Test func segmentLeavesRoomForTheJournal() throws {
    let journalSender = JournalSender()
    journalSender.send(
      .controlChange(one, controller: 100, value: 2), .controlChange(one, controller: 96, value: 0), .start, .clock,
      .clock, .songSelect(1))
    journalSender.send((0..<8).map { .quarterFrame(UInt7(masking: $0 << 4)) })
    let data = [UInt8](repeating: 1, count: 5000)
    var sent = 0
    var longest = 0
    while sent < data.count {
      let packet = octets {
        sent = journalSender.sender.encode(
          systemExclusive: rigid(data), from: sent, at: Instant(nanoseconds: 1), into: &$0)!
      }
      let journal = try SentJournal(packet)
      #expect(packet.count <= PacketSender.longestMessagePacket && journal[1]!.parameters.count == 1)
      longest = max(longest, packet.count)
      journalSender.send(.noteOn(one, key: UInt7(masking: UInt8(sent & 127)), velocity: 1))
    }
    #expect(
      longest == PacketSender.longestMessagePacket && journalSender.discarded == 1,
      "the longest segment fills its packet; only the data of this command are discarded")
  }

  /// The history keeps 512 data octets and 32 commands.
  @Test func longExclusivesHaveNoData() throws {
    let journalSender = JournalSender()
    journalSender.send(exclusive: [UInt8](repeating: 1, count: 300))
    journalSender.send(exclusive: [UInt8](repeating: 2, count: 300))
    #expect(
      try journalSender.journalOfGuardPacket().exclusives.map(\.data.count) == [0, 300] && journalSender.discarded == 1)
    journalSender.send(exclusive: [UInt8](repeating: 3, count: 5000))
    let logs = try journalSender.journalOfGuardPacket().exclusives
    // The third command has too many octets, so its data and those of the second command are discarded too. Of consecutive logs without
    // data, only the last is kept.
    try #require(logs.map(\.data.count) == [0])
    #expect(logs[0].log.count == 3 && journalSender.discarded == 3)
    for number in 0..<100 { journalSender.send(exclusive: [UInt8(number)]) }
    let many = try journalSender.journalOfGuardPacket().exclusives
    #expect(many.count == 32 && many.map(\.data) == (68..<100).map { [$0] })
  }
}

import BasicContainers
import MIDI
import MusicalTime
import Testing

@testable import RTPMIDI

/// What each system chapter tells of what was sent.
@Suite struct SentSystemChapterTests {
  private let one = Channel(1)!

  @Test func simpleSystemCommands() throws {
    let bench = JournalBench()
    bench.send(.activeSensing, .activeSensing, .songSelect(3), .songSelect(4), .tuneRequest)
    let journal = try bench.journal()
    #expect(journal.v == ChapterV(s: true, count: 2))
    #expect(
      journal.d
        == ChapterD(
          s: false, resets: nil, tuneRequests: .init(s: false, value: 1), song: .init(s: true, value: 4)))
    bench.send([Message](repeating: .activeSensing, count: 127))
    #expect(try bench.journal().v?.count == 1)
  }

  @Test func timeCode() throws {
    let bench = JournalBench()
    func frame(_ number: UInt8, _ nibble: UInt8) -> Message { .quarterFrame(UInt7(masking: number << 4 | nibble)) }
    bench.send(frame(3, 9))
    #expect(try bench.journal().f == nil, "in the midst of a time that was not begun")
    bench.send((0..<3).map { frame($0, $0 + 1) })
    _ = try bench.journal()
    var expected = ChapterF(
      s: true, complete: nil, isQuarterFrames: true, partial: 0x1230_0000, isBackwards: false, point: 2)
    #expect(try bench.journal().f == expected)
    bench.send((3..<8).map { frame($0, $0 + 1) })
    _ = try bench.journal()
    (expected.complete, expected.partial, expected.point) = (0x1234_5678, nil, 7)
    #expect(try bench.journal().f == expected)
    // The tape turns round.
    bench.send(frame(7, 0xF), frame(6, 0xE))
    _ = try bench.journal()
    (expected.partial, expected.isBackwards, expected.point) = (0x0000_00EF, true, 6)
    #expect(try bench.journal().f == expected)
    bench.send(frame(4, 1))
    #expect(try bench.journal().f?.partial == nil, "one left out: told again from the next beginning")
  }

  @Test func exclusives() throws {
    let bench = JournalBench()
    bench.send(exclusive: [1, 2, 3])
    bench.send(exclusive: [], isJournalled: true)
    bench.send(exclusive: [0x7D, 1], isJournalled: false)
    bench.send(exclusive: [0x7D, 2], isJournalled: false)
    bench.send(exclusive: [9])
    let logs = try bench.journal().exclusives
    #expect(logs.map(\.data) == [[1, 2, 3], [], [], [9]])
    #expect(logs.map(\.log.count) == [1, 2, 4, 5], "of those without data in a row the last stands for all")
    #expect(logs.allSatisfy { $0.log.isListed && $0.log.status == .finished })
    #expect(logs.map(\.log.s) == [false, true, true, false])
    bench.sender.acknowledge(4)
    #expect(try bench.journal().exclusives.map(\.data) == [[9]] && bench.hasUnacknowledged)
    bench.sender.acknowledge(5)
    #expect(!bench.hasUnacknowledged)
    bench.send(exclusive: [0x7D, 1], isJournalled: false)
    #expect(!bench.hasUnacknowledged, "it repeats itself")
    #expect(try bench.journal().exclusives.map(\.data) == [[]])
  }

  @Test func anExclusiveInPieces() throws {
    let bench = JournalBench()
    let data = (0..<200).map { UInt8(truncatingIfNeeded: $0) & 0x7F }
    bench.send(exclusive: data, capacity: 150, pieces: 1)
    let sent = try bench.journal().exclusives
    try #require(sent.count == 1 && sent[0].log.status == .open)
    #expect(sent[0].data.count > 100 && sent[0].data == Array(data.prefix(sent[0].data.count)))
    bench.sender.acknowledge(bench.sequence &- 1)
    #expect(try bench.journal().exclusives.isEmpty, "the receiver has what there is")
    // It goes on: all of it is told again, since the end may be lost.
    var rest = sent[0].data.count
    while rest < data.count {
      _ = octets {
        rest = bench.sender.encode(systemExclusive: rigid(data), from: rest, at: Instant(nanoseconds: 1), into: &$0)!
      }
    }
    let whole = try bench.journal().exclusives
    try #require(whole.map(\.data) == [data])
    #expect(whole[0].log.status == .finished && whole[0].log.count == 1)
  }

  @Test func anExclusiveLeftUnfinishedIsCancelled() throws {
    let bench = JournalBench()
    bench.send(exclusive: [UInt8](repeating: 1, count: 200), capacity: 100, pieces: 1)
    bench.send(exclusive: [5])
    let logs = try bench.journal().exclusives
    #expect(logs.map(\.log.status) == [.cancelled, .finished])
    bench.sender.acknowledge(bench.sequence &- 1)
    #expect(try bench.journal().exclusives.isEmpty)
  }

  /// With every length of journal beside it, a piece leaves exactly the room that the journal takes.
  @Test func aPieceLeavesRoomForTheJournal() throws {
    let bench = JournalBench()
    bench.send(
      .controlChange(one, controller: 100, value: 2), .controlChange(one, controller: 96, value: 0), .start, .clock,
      .clock, .songSelect(1))
    bench.send((0..<8).map { .quarterFrame(UInt7(masking: $0 << 4)) })
    let data = [UInt8](repeating: 1, count: 5000)
    var sent = 0
    var longest = 0
    while sent < data.count {
      let packet = octets {
        sent = bench.sender.encode(systemExclusive: rigid(data), from: sent, at: Instant(nanoseconds: 1), into: &$0)!
      }
      let journal = try SentJournal(packet)
      #expect(packet.count <= PacketSender.longestMessagePacket && journal[1]!.parameters.count == 1)
      longest = max(longest, packet.count)
      bench.send(.noteOn(one, key: UInt7(masking: UInt8(sent & 127)), velocity: 1))
    }
    #expect(longest == PacketSender.longestMessagePacket && bench.forgotten == 1, "its own data alone")
  }

  @Test func exclusivesTooLong() throws {
    let bench = JournalBench()
    bench.send(exclusive: [UInt8](repeating: 1, count: 300))
    bench.send(exclusive: [UInt8](repeating: 2, count: 300))
    #expect(try bench.journal().exclusives.map(\.data.count) == [0, 300] && bench.forgotten == 1)
    bench.send(exclusive: [UInt8](repeating: 3, count: 5000))
    let logs = try bench.journal().exclusives
    try #require(logs.map(\.data.count) == [0])
    #expect(logs[0].log.count == 3 && bench.forgotten == 3)
    for number in 0..<100 { bench.send(exclusive: [UInt8(number)]) }
    let many = try bench.journal().exclusives
    #expect(many.count == 32 && many.map(\.data) == (68..<100).map { [$0] })
  }
}

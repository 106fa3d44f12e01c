import BasicContainers
import MIDI
import MusicalTime
import Testing

@testable import RTPMIDI

/// When a thing said stands in the journal, and since when.
@Suite struct CheckpointHistoryTests {
  private let one = Channel(1)!

  @Test func theFirstPacketHasAnEmptyJournal() throws {
    let bench = JournalBench(sequence: 0xFFFF)
    bench.send(.clock)
    #expect(bench.packet.suffix(5) == hex("41 F8 80 FF FF")[...], "J, an octet of commands, S, checkpoint itself")
    #expect(bench.packet.count == 17)
  }

  @Test func aClockAloneCostsEightOctets() throws {
    let bench = JournalBench(sequence: 5)
    bench.send(.start, .clock, .clock)
    #expect(
      Array(bench.packet[12...])
        == hex(
          """
          41 F8        ; J, one octet of commands
          40 00 05     ; Y, checkpoint 5
          10 03        ; Q, system journal of 3 octets
          60           ; running, and the start has been played
          """))
    bench.send(.clock)
    #expect(Array(bench.packet[14...]) == hex("40 00 05 10 05 70 00 01"))
    for _ in 0..<70_000 { bench.send(.clock) }
    let journal = try SentJournal(bench.packet)
    #expect(journal.count == 8 && journal.q?.position == 70_001 && bench.forgotten == 0)
  }

  /// The position after each message, as (position, played, running); nil where nothing is said of it.
  @Test func thePositionOfTheSong() throws {
    let bench = JournalBench()
    func expect(_ position: UInt32, played: Bool, running: Bool, _ journal: SentJournal) {
      #expect(journal.q == ChapterQ(s: true, isRunning: running, isPlayed: played, position: position))
    }
    bench.send(.clock)
    #expect(try bench.journal().q == nil, "a clock while nothing runs")
    _ = try bench.journal()
    bench.send(.songPosition(3))
    _ = try bench.journal()
    expect(18, played: false, running: false, try bench.journal())
    bench.send(.continue, .clock)
    _ = try bench.journal()
    expect(18, played: true, running: true, try bench.journal())
    bench.send(.clock, .stop, .clock)
    expect(19, played: true, running: false, try bench.journal())
    bench.send(.continue, .clock)
    _ = try bench.journal()
    expect(20, played: true, running: true, try bench.journal())
    bench.send(.start)
    _ = try bench.journal()
    expect(0, played: false, running: true, try bench.journal())
  }

  @Test func thePositionHas19Bits() {
    var sequencer = SequencerHistory()
    sequencer.locate(16383, 0, if: true)
    sequencer.run(true, 1, if: true)
    for _ in 0..<430_000 { sequencer.clock(2, if: true) }
    let expected = ChapterQ(s: false, isRunning: true, isPlayed: true, position: 98_298 + 429_999 - 524_288)
    #expect(octets { _ = sequencer.append(to: &$0, last: 2) } == octets { _ = expected.append(to: &$0) })
  }

  @Test func sMarksThePacketBefore() throws {
    let bench = JournalBench()
    bench.send(.noteOn(one, key: 60, velocity: 1), .controlChange(Channel(2)!, controller: 7, value: 1))
    let journal = try bench.journal()
    #expect(!journal.header.s && journal[1]!.header.s && !journal[2]!.header.s && !journal[2]!.c[0].s)
    let next = try bench.journal()
    #expect(next.header.s && next[1]!.header.s && next[2]!.c[0].s)
    bench.send(.noteOff(one, key: 60, velocity: 64))
    let off = try bench.journal()
    #expect(off[1]!.n!.s == false && off[1]!.off == [60] && off[1]!.notes.isEmpty && off[2]!.header.s)
  }

  @Test func onlyTheNewestOfEachThingIsTold() throws {
    let bench = JournalBench()
    for value: UInt8 in 1...100 {
      bench.send(.controlChange(one, controller: UInt7(masking: value & 1), value: UInt7(masking: value)))
    }
    let logs = try bench.journal()[1]!.c
    #expect(logs.map(\.controller) == [1, 0] && logs.map(\.tool) == [.value(99), .value(100)], "the oldest first")
  }

  @Test func anAcknowledgementTrims() throws {
    let bench = JournalBench(sequence: 0xFFFE)
    bench.send(.channelPressure(one, pressure: 1), .programChange(one, program: 2), .pitchBend(one, 3))
    bench.sender.acknowledge(0xFFFD)
    #expect(try bench.journal().header.checkpoint == 0xFFFE, "before the stream")
    bench.sender.acknowledge(0xFFFE)
    let journal = try bench.journal()
    #expect(journal.header.checkpoint == 0xFFFF && journal[1]!.header.chapters == 0x90, "P and W")
    bench.sender.acknowledge(0)
    #expect(try bench.journal()[1] == nil && bench.hasUnacknowledged == false)
    bench.send(.stop)
    for stale in [0xFFFE, 0, bench.sequence, bench.sequence &+ 100] as [UInt16] {
      bench.sender.acknowledge(stale)
      #expect(bench.hasUnacknowledged, "\(stale) was acknowledged before, or never sent")
    }
    bench.sender.acknowledge(bench.sequence &- 1)
    let empty = try bench.journal()
    #expect(empty.count == 3 && empty.header.checkpoint == bench.sequence &- 1)
    #expect(bench.forgotten == 0 && !bench.hasUnacknowledged)
  }

  @Test func aReceiverThatNeverAcknowledges() throws {
    let bench = JournalBench(sequence: 60_000, capacity: 8)
    for number: UInt8 in 10...29 { bench.send(.controlChange(one, controller: UInt7(masking: number), value: 1)) }
    let journal = try bench.journal()
    #expect(journal[1]!.c.map(\.controller.value) == Array(22...29) && bench.forgotten == 12)
    #expect(journal.header.checkpoint == 60_012, "behind the newest forgotten")
    bench.send([Message](repeating: .start, count: 16_383 - 10))
    #expect(try bench.journal()[1] != nil)
    bench.send(.clock)
    #expect(try bench.journal()[1] == nil && bench.forgotten == 20, "2^14 packets back")
    for _ in 0..<70_000 { bench.send(.clock) }
    #expect(bench.sequence &- (try bench.journal().header.checkpoint) <= 1 << 14)
  }

  @Test func aJournalTooLongForItsPacketIsCut() throws {
    for capacity in [256, 1000] {
      let bench = JournalBench(capacity: capacity)
      for channel in 1...16 {
        for key in 0..<60 { bench.send(.noteOn(Channel(channel)!, key: UInt7(clamping: key), velocity: 1)) }
      }
      let whole = try bench.journal()
      #expect(bench.packet.count <= PacketSender.longestMessagePacket)
      let notes = whole.channels.map(\.notes.count).reduce(0, +)
      #expect(notes + Int(bench.forgotten) == 960 && notes >= 256 && whole[16]!.notes.count == 60)
      let first = try #require(whole.channels.first)
      let oldest = (Int(first.header.channel.number) - 1) * 60 + Int(first.notes[0].key.value) + 1
      #expect(whole.header.checkpoint == UInt16(oldest), "the checkpoint is the oldest that is told")
      let short = octets(capacity: 60) { _ = bench.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0) }
      #expect(short.count <= 60 && short[13] == 0xF8)
      #expect(try SentJournal(short)[16]!.notes.last?.key == 59)
      let bare = octets(capacity: 18) { _ = bench.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0) }
      #expect(try SentJournal(bare).count == 3)
      let sequence = bench.sequence
      #expect(octets(capacity: 16) { _ = bench.sender.encode(.clock, at: Instant(nanoseconds: 1), into: &$0) } == [])
      #expect(bench.sequence == sequence)
    }
  }

  @Test func turnedOnItCoversWhatFollowsAndKnowsWhatWas() throws {
    let bench = JournalBench()
    bench.sender.sendsJournal = false
    bench.send(.start, .clock, .clock, .noteOn(one, key: 60, velocity: 1))
    #expect(bench.packet.count == 16 && !bench.hasUnacknowledged, "no journal")
    bench.sender.sendsJournal = true
    #expect(try bench.journal().count == 3)
    bench.send(.clock, .noteOn(one, key: 60, velocity: 2))
    let journal = try bench.journal()
    #expect(journal.q?.position == 2 && journal[1]!.extras.map(\.extra) == [.references(2)])
    #expect(journal.header.checkpoint == 5)
    bench.sender.restart(ssrc: 9, sequence: 77)
    let (ssrc, sendsJournal) = (bench.sender.ssrc, bench.sender.sendsJournal)
    #expect(ssrc == 9 && !sendsJournal && !bench.hasUnacknowledged)
    bench.sender.sendsJournal = true
    bench.send(.clock, .noteOn(one, key: 60, velocity: 2))
    let restarted = try bench.journal()
    #expect(restarted.header.checkpoint == 77 && restarted.q == nil && restarted[1]!.extras.isEmpty)
  }

  @Test func aResetMakesAllBeforeItVoid() throws {
    let bench = JournalBench()
    bench.send(
      .start, .clock, .songSelect(3), .tuneRequest, .activeSensing, .quarterFrame(0),
      .noteOn(one, key: 60, velocity: 1), .controlChange(one, controller: 7, value: 1),
      .controlChange(one, controller: 99, value: 1))
    bench.send(exclusive: [1, 2])
    bench.send(.reset)
    _ = try bench.journal()
    let journal = try bench.journal()
    #expect(journal.channels.isEmpty && journal.exclusives.isEmpty)
    #expect(journal.system?.word == 0xC004 && journal.d?.resets == .init(s: true, value: 1))
    #expect(journal.d?.song == nil && journal.d?.tuneRequests == nil)
    bench.send(.tuneRequest, .reset, .tuneRequest, .noteOn(one, key: 60, velocity: 1), .continue)
    let after = try bench.journal()
    #expect(after.d?.resets?.value == 2 && after.d?.tuneRequests?.value == 3, "counts go on")
    #expect(after[1]!.extras.isEmpty && after.q?.position == 0 && after.q?.isPlayed == false)
  }
}

import BasicContainers
import MIDI
import Testing

@testable import RTPMIDI

/// Each layout against octets worked out by hand from RFC 6295, appendices A and B: read, written again, and refused when
/// an octet is missing.
@Suite struct ChapterLayoutTests {
  private typealias Read<Layout> = (borrowing Span<UInt8>, inout Int, Int) -> Layout?
  private typealias Append<Layout> = (Layout, inout RigidArray<UInt8>) -> Bool

  /// `dump`, from its second octet on, is `layout` both ways; the first and the last octet are its neighbours'.
  private func check<Layout: Equatable>(
    _ layout: Layout, _ dump: String, _ read: Read<Layout>, _ append: Append<Layout>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let body = hex(dump)
    let packet = [0xFF] + body + [0xFF]
    var position = 1
    let whole = read(packet.span, &position, body.count + 1)
    #expect(whole == layout && position == body.count + 1, sourceLocation: sourceLocation)
    for end in 1...body.count {
      position = 1
      let cut = read(packet.span, &position, end)
      #expect(cut == nil && position == 1, "\(end - 1) octets", sourceLocation: sourceLocation)
    }
    #expect(octets(capacity: body.count) { _ = append(layout, &$0) } == body, sourceLocation: sourceLocation)
    for capacity in 0..<body.count {
      var isWritten = true
      let written = octets(capacity: capacity) { isWritten = append(layout, &$0) }
      #expect(!isWritten && written == [], "room for \(capacity)", sourceLocation: sourceLocation)
    }
  }

  @Test func journalHeader() {
    check(
      RecoveryJournalHeader(s: true, hasSystemJournal: true, channelJournals: 3, isEnhanced: false, checkpoint: 0x1234),
      "E2 12 34", { RecoveryJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      RecoveryJournalHeader(s: false, hasSystemJournal: false, channelJournals: 0, isEnhanced: true, checkpoint: 7),
      "10 00 07", { RecoveryJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      RecoveryJournalHeader(s: false, hasSystemJournal: false, channelJournals: 16, isEnhanced: false, checkpoint: 7),
      "2F 00 07", { RecoveryJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }

  @Test func systemJournalHeader() {
    check(
      SystemJournalHeader(s: true, hasD: false, hasV: false, hasQ: true, hasF: false, hasX: true, length: 2),
      "94 02", { SystemJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    let packet: [UInt8] = [0x6B, 0x04, 0xFF, 0xFF]
    var position = 0
    #expect(SystemJournalHeader(packet.span, at: &position, end: 4) == nil, "772 octets do not fit into 4")
    for length: UInt8 in 0...1 {
      let packet: [UInt8] = [0x68, length, 0xFF]
      #expect(SystemJournalHeader(packet.span, at: &position, end: 3) == nil, "shorter than its header")
    }
    let long = [0x6B, 0x04] + [UInt8](repeating: 0, count: 770)
    let header = SystemJournalHeader(long.span, at: &position, end: 772)
    #expect(header?.length == 772 && header?.hasD == true && header?.hasV == true && header?.hasF == true)
    #expect(position == 2 && header?.word == 0x6B04)
  }

  @Test func channelJournalHeader() {
    check(
      ChannelJournalHeader(s: false, channel: Channel(10)!, isEnhanced: true, length: 3, chapters: 0xA5),
      "4C 03 A5", { ChannelJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      ChannelJournalHeader(s: true, channel: Channel(16)!, isEnhanced: false, length: 3, chapters: 0x01),
      "F8 03 01", { ChannelJournalHeader($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    var position = 0
    for length: UInt8 in 0...2 {
      #expect(ChannelJournalHeader([0x48, length, 0xFF].span, at: &position, end: 3) == nil)
    }
    let all = ChannelJournalHeader([0x4B, 3, 0xFF].span, at: &position, end: 3)
    #expect(all == nil, "LENGTH has ten bits: 771")
  }

  @Test func programs() {
    check(
      ChapterP(s: true, program: 5, bank: nil), "85 00 00", { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      ChapterP(s: false, program: 127, bank: ChapterP.Bank(high: 1, low: 2, isBeforeReset: false)), "7F 81 02",
      { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      ChapterP(s: false, program: 0, bank: ChapterP.Bank(high: 0, low: 0, isBeforeReset: true)), "00 80 80",
      { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }

  @Test func controllers() {
    for (tool, second) in [(ControllerLog.Tool.value(100), "64"), (.toggle(33), "A1"), (.count(63), "FF")] {
      check(
        ControllerLog(s: true, controller: 64, tool: tool), "C0 \(second)", { ControllerLog($0, at: &$1, end: $2) },
        { $0.append(to: &$1) })
    }
    var position = 0
    let count = LogCount([0x81, 1, 2, 3, 4].span, at: &position, end: 5)
    #expect(count == LogCount(s: true, logs: 2) && position == 1 && count?.octet == 0x81)
    position = 0
    #expect(LogCount([0x81, 1, 2, 3].span, at: &position, end: 4) == nil && position == 0, "two logs do not fit")
  }

  @Test func parameters() {
    let long = ChapterM(
      s: false, pending: nil, isInProgress: true, allRegistered: false, allNonRegistered: false, allBelow128: false,
      length: 2)
    check(long, "20 02", { ChapterM($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    var short = long
    (short.allNonRegistered, short.allBelow128, short.s, short.length) = (true, true, true, 3)
    short.pending = ChapterM.Pending(isNonRegistered: true, high: 3)
    check(short, "EC 03 83", { ChapterM($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    #expect(short.logsAreShort && !long.logsAreShort)
    var log = ParameterLog(
      s: true, isNonRegistered: true, number: UInt14(low: 5, high: 3), entryHigh: .init(10, isBeforeReset: false),
      entryLow: .init(20, isBeforeReset: true), buttons: .init(-3, isBeforeReset: true),
      buttonsSinceReset: .init(7, isBeforeReset: false), count: .init(9, isBeforeReset: false), usesCountTool: true,
      usesValueTool: false)
    read(log, "85 83 FC 0A 94 C0 03 00 07 09", in: long)
    log.number = UInt14(low: 5, high: 0)
    read(log, "85 FC 0A 94 C0 03 00 07 09", in: short)
    (log.entryHigh, log.entryLow, log.buttons, log.buttonsSinceReset, log.count) = (nil, nil, nil, nil, nil)
    (log.usesCountTool, log.usesValueTool, log.isNonRegistered) = (false, true, false)
    read(log, "85 00 02", in: long)
  }

  /// A log both ways.
  private func read(_ log: ParameterLog, _ dump: String, in chapter: ChapterM) {
    let body = hex(dump)
    var position = 0
    #expect(ParameterLog(body.span, at: &position, end: body.count, in: chapter) == log && position == body.count)
    for end in 0..<body.count {
      position = 0
      #expect(ParameterLog(body.span, at: &position, end: end, in: chapter) == nil && position == 0)
    }
    #expect(octets { _ = log.append(to: &$0, in: chapter) } == body)
    #expect(octets(capacity: body.count) { _ = log.append(to: &$0, in: chapter) } == body)
    #expect(octets(capacity: body.count - 1) { _ = log.append(to: &$0, in: chapter) } == [])
  }

  @Test func wheels() {
    check(
      ChapterW(s: true, bend: UInt14(low: 1, high: 64)), "81 40", { ChapterW($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
  }

  @Test func notes() {
    check(
      NoteLog(s: true, key: 60, isToSound: true, velocity: 100), "BC E4", { NoteLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    check(
      NoteLog(s: false, key: 127, isToSound: false, velocity: 1), "7F 01", { NoteLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    // Two logs, and the bits of notes 56...71.
    let body = hex("82 78 3C E4 3D E4 00 01")
    var position = 0
    let header = ChapterN(body.span, at: &position, end: body.count)
    #expect(header == ChapterN(s: true, logs: 2, low: 7, high: 8) && position == 2 && header?.offOctets == 2)
    #expect(header?.word == 0x8278)
    for end in 0..<body.count {
      position = 0
      #expect(ChapterN(body.span, at: &position, end: end) == nil && position == 0)
    }
    // 127 and 128 logs have one LEN; LOW and HIGH tell.
    let full = [0x7F, 0xF0] + [UInt8](repeating: 1, count: 256)
    position = 0
    #expect(ChapterN(full.span, at: &position, end: 257) == nil)
    let all = ChapterN(full.span, at: &position, end: 258)
    #expect(all?.logs == 128 && all?.offOctets == 0 && all?.word == 0x7FF0)
    position = 0
    let most = [0x7F, 0xF1] + full.dropFirst(4)
    let fewer = ChapterN(most.span, at: &position, end: 256)
    #expect(fewer?.logs == 127 && fewer?.offOctets == 0 && fewer?.word == 0x7FF1)
  }

  @Test func noteExtras() {
    check(
      NoteExtraLog(s: true, key: 60, extra: .releaseVelocity(0)), "BC 80", { NoteExtraLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    check(
      NoteExtraLog(s: false, key: 60, extra: .references(2)), "3C 02", { NoteExtraLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
  }

  @Test func pressures() {
    check(ChapterT(s: true, pressure: 3), "83", { ChapterT($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      PressureLog(s: false, key: 60, isBeforeReset: true, pressure: 5), "3C 85",
      { PressureLog($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }

  @Test func simpleSystemCommands() {
    check(
      ChapterD(
        s: false, resets: .init(s: true, value: 1), tuneRequests: .init(s: true, value: 127),
        song: .init(s: false, value: 7)), "70 81 FF 07", { ChapterD($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    // J of three octets, K of five, Y of two, Z of one, of which nothing is read but their lengths.
    let undefined = hex("1F 07 C0 03 01 A4 05 01 02 80 C2 05 81")
    var position = 0
    let chapter = ChapterD(undefined.span, at: &position, end: undefined.count)
    #expect(chapter == ChapterD(s: false, resets: nil, tuneRequests: nil, song: .init(s: false, value: 7)))
    #expect(position == undefined.count)
    for end in 0..<undefined.count {
      position = 0
      #expect(ChapterD(undefined.span, at: &position, end: end) == nil && position == 0)
    }
    for short in ["08 80 01 FF", "02 80 FF"] {
      let octets = hex(short)
      #expect(ChapterD(octets.span, at: &position, end: octets.count) == nil, "shorter than its own header")
    }
  }

  @Test func activeSensing() {
    check(ChapterV(s: true, count: 9), "89", { ChapterV($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }

  @Test func sequencer() {
    let read: Read<ChapterQ> = { ChapterQ($0, at: &$1, end: $2) }
    for (chapter, dump) in [
      (
        ChapterQ(s: true, isRunning: true, isPlayed: true, position: 0x5_1234, milliseconds: 0x01_0203),
        "FD 12 34 01 02 03"
      ),
      (ChapterQ(s: false, isRunning: true, isPlayed: false, position: 0), "40"),
      (ChapterQ(s: false, isRunning: false, isPlayed: true, position: 1), "30 00 01"),
    ] {
      let body = hex(dump)
      var position = 0
      #expect(read(body.span, &position, body.count) == chapter && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect(read(body.span, &position, end) == nil && position == 0)
      }
      #expect(octets(capacity: body.count) { _ = chapter.append(to: &$0) } == body)
      #expect(octets(capacity: body.count - 1) { _ = chapter.append(to: &$0) } == [])
    }
    #expect(ChapterQ(s: false, isRunning: false, isPlayed: false, position: 1 << 19).position == 0, "19 bits")
  }

  @Test func timeCode() {
    for (chapter, dump) in [
      (
        ChapterF(
          s: true, complete: 0x1234_5678, isQuarterFrames: true, partial: 0xA000_0000, isBackwards: false, point: 0),
        "F0 12 34 56 78 A0 00 00 00"
      ),
      (
        ChapterF(s: false, complete: nil, isQuarterFrames: false, partial: 0x0000_000B, isBackwards: true, point: 7),
        "2F 00 00 00 0B"
      ),
      (
        ChapterF(s: false, complete: 1, isQuarterFrames: false, partial: nil, isBackwards: false, point: 3),
        "43 00 00 00 01"
      ),
    ] {
      let body = hex(dump)
      var position = 0
      #expect(ChapterF(body.span, at: &position, end: body.count) == chapter && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect(ChapterF(body.span, at: &position, end: end) == nil && position == 0)
      }
      #expect(octets(capacity: body.count) { _ = chapter.append(to: &$0) } == body)
      #expect(octets(capacity: body.count - 1) { _ = chapter.append(to: &$0) } == [])
    }
  }

  @Test func exclusives() {
    let data = rigid([0x7D, 0x01, 0x02])
    for (log, count, dump) in [
      (ExclusiveLog(s: true, count: 4, isListed: true, status: .finished), 3, "AF 04 7D 01 82"),
      (ExclusiveLog(s: false, count: nil, isListed: false, status: .cancelled), 0, "01"),
      (
        ExclusiveLog(s: false, kindCount: 2, count: 3, first: 129, isListed: true, status: .open), 1,
        "7C 02 03 80 80 81 01 FD"
      ),
    ] {
      let body = hex(dump)
      var expected = log
      if count > 0 { expected.data = Extent(start: body.count - count, end: body.count) }
      var position = 0
      #expect(ExclusiveLog(body.span, at: &position, end: body.count) == expected && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect(ExclusiveLog(body.span, at: &position, end: end) == nil && position == 0)
      }
      #expect(octets(capacity: body.count) { _ = log.append(data, from: 0, count: count, to: &$0) } == body)
    }
    for (dump, first) in [("10 81 01", UInt32(129)), ("10 80 80 80 80 00", nil), ("08 01 02", nil)] {
      let octets = hex(dump)
      var position = 0
      let log = ExclusiveLog(octets.span, at: &position, end: octets.count)
      #expect(log?.first == first && (log == nil) == (first == nil), "FIRST of two octets, of five; DATA without end")
    }
  }
}

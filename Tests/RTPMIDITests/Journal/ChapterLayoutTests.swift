import BasicContainers
import MIDI
import Testing

@testable import RTPMIDI

/// The layouts of the journal header and of the channel chapters (RFC 6295 section 5 and appendix A).
@Suite struct ChapterLayoutTests {
  @Test func journalHeaderLayoutMatches() {
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

  @Test func channelJournalHeaderLayoutMatches() {
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

  @Test func programLayoutMatches() {
    check(
      ChapterP(s: true, program: 5, bank: nil), "85 00 00", { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      ChapterP(s: false, program: 127, bank: ChapterP.Bank(high: 1, low: 2, isBeforeReset: false)), "7F 81 02",
      { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      ChapterP(s: false, program: 0, bank: ChapterP.Bank(high: 0, low: 0, isBeforeReset: true)), "00 80 80",
      { ChapterP($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }

  @Test func controllerLayoutMatches() {
    for (tool, second) in [(ControllerLog.Tool.value(100), "64"), (.toggle(33), "A1"), (.count(63), "FF")] {
      check(
        ControllerLog(s: true, controller: 64, tool: tool), "C0 \(second)", { ControllerLog($0, at: &$1, end: $2) },
        { $0.append(to: &$1) })
    }
    var position = 0
    let count = LogListHeader([0x81, 1, 2, 3, 4].span, at: &position, end: 5)
    #expect(count == LogListHeader(s: true, logs: 2) && position == 1 && count?.octet == 0x81)
    position = 0
    #expect(LogListHeader([0x81, 1, 2, 3].span, at: &position, end: 4) == nil && position == 0, "two logs do not fit")
  }

  @Test func parameterLayoutMatches() {
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

  /// Reads and appends a log.
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

  @Test func wheelLayoutMatches() {
    check(
      ChapterW(s: true, bend: UInt14(low: 1, high: 64)), "81 40", { ChapterW($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
  }

  @Test func noteLayoutMatches() {
    check(
      NoteLog(s: true, key: 60, isPlayRecommended: true, velocity: 100), "BC E4", { NoteLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    check(
      NoteLog(s: false, key: 127, isPlayRecommended: false, velocity: 1), "7F 01", { NoteLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    // Two logs, and the bits of notes 56...71.
    let body = hex("82 78 3C E4 3D E4 00 01")
    var position = 0
    let header = ChapterN(body.span, at: &position, end: body.count)
    #expect(header == ChapterN(s: true, logs: 2, low: 7, high: 8) && position == 2 && header?.bitFieldOctets == 2)
    #expect(header?.word == 0x8278)
    for end in 0..<body.count {
      position = 0
      #expect(ChapterN(body.span, at: &position, end: end) == nil && position == 0)
    }
    // 127 and 128 logs have the same LEN; LOW and HIGH distinguish them.
    let full = [0x7F, 0xF0] + [UInt8](repeating: 1, count: 256)
    position = 0
    #expect(ChapterN(full.span, at: &position, end: 257) == nil)
    let all = ChapterN(full.span, at: &position, end: 258)
    #expect(all?.logs == 128 && all?.bitFieldOctets == 0 && all?.word == 0x7FF0)
    position = 0
    let most = [0x7F, 0xF1] + full.dropFirst(4)
    let fewer = ChapterN(most.span, at: &position, end: 256)
    #expect(fewer?.logs == 127 && fewer?.bitFieldOctets == 0 && fewer?.word == 0x7FF1)
  }

  @Test func noteExtraLayoutMatches() {
    check(
      NoteExtraLog(s: true, key: 60, extra: .releaseVelocity(0)), "BC 80", { NoteExtraLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
    check(
      NoteExtraLog(s: false, key: 60, extra: .references(2)), "3C 02", { NoteExtraLog($0, at: &$1, end: $2) },
      { $0.append(to: &$1) })
  }

  @Test func pressureLayoutMatches() {
    check(ChapterT(s: true, pressure: 3), "83", { ChapterT($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
    check(
      PressureLog(s: false, key: 60, isBeforeReset: true, pressure: 5), "3C 85",
      { PressureLog($0, at: &$1, end: $2) }, { $0.append(to: &$1) })
  }
}

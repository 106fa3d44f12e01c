import BasicContainers
import MIDI
import Testing
import _TestSupport

@testable import RTPMIDI

/// The layouts of the journal header and of the channel chapters (RFC 6295 section 5 and appendix A). In the layouts below, `NAME[n]` is
/// a field of n bits, a single letter is one bit, and `|` separates parts of whole octets.
@Suite struct ChapterLayoutTests {
  /// S Y A H TOTCHAN[4] | CHECKPOINT[16]. TOTCHAN is one less than the number of channel journals.
  @Test func journalHeaderLayoutMatches() {
    expectLayout(
      of: RecoveryJournalHeader(
        s: true, hasSystemJournal: true, channelJournals: 3, isEnhanced: false, checkpoint: 0x1234),
      octets: "E2 12 34", read: { try? RecoveryJournalHeader($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) }
    )
    expectLayout(
      of: RecoveryJournalHeader(s: false, hasSystemJournal: false, channelJournals: 0, isEnhanced: true, checkpoint: 7),
      octets: "10 00 07", read: { try? RecoveryJournalHeader($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) }
    )
    expectLayout(
      of: RecoveryJournalHeader(
        s: false, hasSystemJournal: false, channelJournals: 16, isEnhanced: false, checkpoint: 7),
      octets: "2F 00 07", read: { try? RecoveryJournalHeader($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) }
    )
  }

  /// S CHAN[4] H LENGTH[10] | P C M W N E T A. CHAN is one less than the number of the channel.
  @Test func channelJournalHeaderLayoutMatches() throws {
    for (s, channel, isEnhanced, chapters, dump) in [
      (false, 10, true, 0xA5, "4C 03 A5"), (true, 16, false, 0x01, "F8 03 01"),
    ] as [(Bool, Int, Bool, UInt8, String)] {
      let append = { (packet: inout RigidArray<UInt8>) throws in
        try ChannelJournalHeader.append(
          s: s, channel: Channel(channel)!, isEnhanced: isEnhanced, chapters: chapters, to: &packet)
        try packet.writeLength(ofSectionAt: 0)
      }
      let body = hex(dump)
      #expect(written(capacity: 3, append) == body && written(capacity: 2, append) == nil)
      var position = 1
      let header = try ChannelJournalHeader(([0xFF] + body).span, at: &position, end: 4)
      #expect(header.s == s && header.channel == Channel(channel) && header.isEnhanced == isEnhanced)
      #expect(header.chapters == chapters && header.end == 4 && position == 4)
      for end in 0..<3 {
        position = 0
        #expect((try? ChannelJournalHeader(body.span, at: &position, end: end)) == nil)
      }
    }
    for length: UInt8 in 0...2 {
      var position = 0
      let header = try? ChannelJournalHeader([0x48, length, 0xFF].span, at: &position, end: 3)
      #expect(header == nil, "LENGTH \(length) is shorter than the header")
    }
    // The two lower bits of the first octet are the upper bits of LENGTH. 771 octets are more than the packet has.
    var position = 0
    let long = try? ChannelJournalHeader([0x4B, 3, 0xFF].span, at: &position, end: 3)
    #expect(long == nil, "LENGTH has ten bits: 771")
  }

  /// S PROGRAM[7] | B BANK-MSB[7] | X BANK-LSB[7].
  @Test func programLayoutMatches() {
    expectLayout(
      of: ChapterP(s: true, program: 5, bank: nil), octets: "85 00 00", read: { try? ChapterP($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    expectLayout(
      of: ChapterP(s: false, program: 127, bank: ChapterP.Bank(high: 1, low: 2, isBeforeReset: false)),
      octets: "7F 81 02",
      read: { try? ChapterP($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) })
    expectLayout(
      of: ChapterP(s: false, program: 0, bank: ChapterP.Bank(high: 0, low: 0, isBeforeReset: true)), octets: "00 80 80",
      read: { try? ChapterP($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) })
  }

  /// S NUMBER[7] | A VALUE/ALT[7]. With A = 0, the seven bits are a value. With A = 1, they are T ALT[6]: a toggle (T = 0) or a count
  /// (T = 1).
  @Test func controllerLayoutMatches() throws {
    for (tool, second) in [(NumberedLog.Tool.value(100), "64"), (.toggle(33), "A1"), (.count(63), "FF")] {
      expectLayout(
        of: NumberedLog(s: true, controller: 64, tool: tool), octets: "C0 \(second)",
        read: { try? NumberedLog($0, at: &$1, end: $2) },
        append: { try $0.append(to: &$1) })
    }
    var position = 0
    // The header of the log list: S and LEN, which is one less than the number of logs.
    let header = try LogList([0x81, 1, 2, 3, 4].span, at: &position, end: 5)
    #expect(header.s && header.logs == Extent(start: 1, end: 5) && position == 1)
    position = 0
    #expect((try? LogList([0x81, 1, 2, 3].span, at: &position, end: 4)) == nil, "two logs have four octets")
    var list = rigid([0x80, 1, 2, 3, 4])
    try LogList.writeCount(at: 0, of: &list)
    #expect(list[0] == 0x81)
    #expect(throws: JournalOverflow.tooLong, "LEN has seven bits") {
      var long = rigid([UInt8](repeating: 0, count: 1 + 2 * 129))
      try LogList.writeCount(at: 0, of: &long)
    }
  }

  /// The header of Chapter M is S P E U W Z LENGTH[10] | Q PENDING[7], if P. A log is S PNUM-LSB[7] | Q PNUM-MSB[7] |
  /// J K L M N T V R | fields. The second octet of a log is omitted if Z and one of U and W are set.
  @Test func parameterLayoutMatches() {
    var long = ChapterM(
      s: false, pending: nil, isInProgress: true, allRegistered: false, allNonRegistered: false, allBelow128: false)
    var short = long
    (short.allNonRegistered, short.allBelow128, short.s) = (true, true, true)
    short.pending = FlaggedValue(true, 3)
    // The chapters end after the octet that precedes them and their headers.
    (long.end, short.end) = (3, 4)
    for (chapter, dump) in [(long, "20 02"), (short, "EC 03 83")] {
      expectLayout(
        of: chapter, octets: dump, read: { try? ChapterM($0, at: &$1, end: $2) },
        append: {
          let start = $1.count
          try $0.append(to: &$1)
          try $1.writeLength(ofSectionAt: start)
        })
    }
    #expect(short.logsAreShort && !long.logsAreShort)
    var log = ParameterLog(
      s: true, isNonRegistered: true, number: UInt14(low: 5, high: 3), entryHigh: .init(false, 10),
      entryLow: .init(true, 20), buttons: .init(-3, isBeforeReset: true),
      buttonsSinceReset: .init(7, isBeforeReset: false), count: .init(false, 9), usesCountTool: true,
      usesValueTool: false)
    // The flags FC are J, K, L, M, N and T. The fields are ENTRY-MSB and ENTRY-LSB (one octet each), A-BUTTON and C-BUTTON (two octets
    // each) and COUNT (one octet).
    expectParameterLog(log, octets: "85 83 FC 0A 94 C0 03 00 07 09", in: long)
    log.number = UInt14(low: 5, high: 0)
    expectParameterLog(log, octets: "85 FC 0A 94 C0 03 00 07 09", in: short)
    (log.entryHigh, log.entryLow, log.buttons, log.buttonsSinceReset, log.count) = (nil, nil, nil, nil, nil)
    (log.usesCountTool, log.usesValueTool, log.isNonRegistered) = (false, true, false)
    expectParameterLog(log, octets: "85 00 02", in: long)
  }

  /// Expects that `log` is encoded as `octets` in `chapter`: reads and appends the log, with and without enough room.
  private func expectParameterLog(_ log: ParameterLog, octets dump: String, in chapter: ChapterM) {
    let body = hex(dump)
    var (position, chapter) = (0, chapter)
    chapter.end = body.count
    #expect((try? ParameterLog(body.span, at: &position, in: chapter)) == log && position == body.count)
    for end in 0..<body.count {
      (position, chapter.end) = (0, end)
      #expect((try? ParameterLog(body.span, at: &position, in: chapter)) == nil)
    }
    #expect(written(capacity: body.count) { try log.append(to: &$0, in: chapter) } == body)
    #expect(written(capacity: body.count - 1) { try log.append(to: &$0, in: chapter) } == nil)
  }

  /// A note log is S NOTENUM[7] | Y VELOCITY[7]. The header of Chapter N is B LEN[7] | LOW[4] HIGH[4].
  @Test func noteLayoutMatches() {
    expectLayout(
      of: NumberedLog(s: true, number: 60, flag: true, value: 100), octets: "BC E4",
      read: { try? NumberedLog($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    expectLayout(
      of: NumberedLog(s: false, number: 127, flag: false, value: 1), octets: "7F 01",
      read: { try? NumberedLog($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    // B = 1, two logs, and OFFBITS of two octets for the notes 56...71.
    let body = hex("82 78 3C E4 3D E4 00 01")
    var position = 0
    let header = try? ChapterN(body.span, at: &position, end: body.count)
    #expect(header == ChapterN(s: true, logs: 2, low: 7, high: 8) && position == 2 && header?.bitFieldOctets == 2)
    #expect(header?.word == 0x8278)
    for end in 0..<body.count {
      position = 0
      #expect((try? ChapterN(body.span, at: &position, end: end)) == nil)
    }
    // 127 and 128 logs have the same LEN, 127. LOW = 15 and HIGH = 0 mean 128 logs; any other pair means 127.
    let full = [0x7F, 0xF0] + [UInt8](repeating: 1, count: 256)
    position = 0
    #expect((try? ChapterN(full.span, at: &position, end: 257)) == nil)
    position = 0
    let all = try? ChapterN(full.span, at: &position, end: 258)
    #expect(all?.logs == 128 && all?.bitFieldOctets == 0 && all?.word == 0x7FF0)
    position = 0
    let full127 = [0x7F, 0xF1] + full.dropFirst(4)
    let fewer = try? ChapterN(full127.span, at: &position, end: 256)
    #expect(fewer?.logs == 127 && fewer?.bitFieldOctets == 0 && fewer?.word == 0x7FF1)
  }

  /// S NOTENUM[7] | V COUNT/VEL[7]. With V = 1, the seven bits are a release velocity; with V = 0, a reference count.
  @Test func noteExtraLayoutMatches() {
    expectLayout(
      of: NumberedLog(s: true, number: 60, flag: true, value: 0), octets: "BC 80",
      read: { try? NumberedLog($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    expectLayout(
      of: NumberedLog(s: false, number: 60, flag: false, value: 2), octets: "3C 02",
      read: { try? NumberedLog($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
  }

  /// Chapter T is S PRESSURE[7]. A log of Chapter A is S NOTENUM[7] | X PRESSURE[7].
  @Test func pressureLayoutMatches() {
    expectLayout(
      of: FlaggedValue(true, 3), octets: "83", read: { try? FlaggedValue($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    expectLayout(
      of: NumberedLog(s: false, number: 60, flag: true, value: 5), octets: "3C 85",
      read: { try? NumberedLog($0, at: &$1, end: $2) }, append: { try $0.append(to: &$1) })
  }
}

import BasicContainers
import MIDI
import Testing
import _TestSupport

@testable import RTPMIDI

/// The layouts of the system journal header and of its chapters (RFC 6295 section 5 and appendix B). In the layouts below, `NAME[n]` is a
/// field of n bits, a single letter is one bit, and `|` separates parts of whole octets.
@Suite struct SystemChapterLayoutTests {
  /// S D V Q F X LENGTH[10].
  @Test func systemJournalHeaderLayoutMatches() throws {
    let append = { (packet: inout RigidArray<UInt8>) throws in
      try SystemJournalHeader.append(s: true, chapters: 0x14, to: &packet)
      try packet.writeLength(ofSectionAt: 0)
    }
    #expect(written(capacity: 2, append) == hex("94 02") && written(capacity: 1, append) == nil)
    var position = 1
    let short = try SystemJournalHeader(hex("FF 94 02 FF").span, at: &position, end: 3)
    #expect(short.s && short.chapters == 0x14 && short.end == 3 && position == 3)
    for end in 0...1 {
      position = 0
      #expect((try? SystemJournalHeader(hex("94 02").span, at: &position, end: end)) == nil)
    }
    // D, V and F; LENGTH 0x304.
    let packet: [UInt8] = [0x6B, 0x04, 0xFF, 0xFF]
    position = 0
    #expect(
      (try? SystemJournalHeader(packet.span, at: &position, end: 4)) == nil,
      "LENGTH is 772, but the packet has four octets")
    for length: UInt8 in 0...1 {
      let packet: [UInt8] = [0x68, length, 0xFF]
      position = 0
      #expect(
        (try? SystemJournalHeader(packet.span, at: &position, end: 3)) == nil,
        "LENGTH \(length) is shorter than the header")
    }
    let long = [0x6B, 0x04] + [UInt8](repeating: 0, count: 770)
    position = 0
    let header = try SystemJournalHeader(long.span, at: &position, end: 772)
    #expect(header.end == 772 && header.chapters == 0x68 && !header.s && position == 2)
    var section = rigid([0x68] + [UInt8](repeating: 0, count: 771))
    try section.writeLength(ofSectionAt: 0)
    #expect(section[0] == 0x6B && section[1] == 0x04)
    #expect(throws: JournalOverflow.tooLong, "LENGTH has ten bits") {
      var section = rigid([UInt8](repeating: 0, count: 1024))
      try section.writeLength(ofSectionAt: 0)
    }
  }

  /// S B G H J K Y Z | a log for each set flag. The logs of B, G and H have one octet.
  @Test func simpleSystemCommandLayoutMatches() {
    expectLayout(
      of: ChapterD(
        s: false, resets: .init(true, 1), tuneRequests: .init(true, 127),
        song: .init(false, 7)), octets: "70 81 FF 07", read: { try? ChapterD($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
    // The log of H (07), and the logs of undefined commands, which are skipped by their LENGTH: J (C0 03 01), K (A4 05 01 02 80),
    // Y (C2 05) and Z (81).
    let undefined = hex("1F 07 C0 03 01 A4 05 01 02 80 C2 05 81")
    var position = 0
    let chapter = try? ChapterD(undefined.span, at: &position, end: undefined.count)
    #expect(chapter == ChapterD(s: false, resets: nil, tuneRequests: nil, song: .init(false, 7)))
    #expect(position == undefined.count)
    for end in 0..<undefined.count {
      position = 0
      #expect((try? ChapterD(undefined.span, at: &position, end: end)) == nil)
    }
    // J with LENGTH 1, and Y with LENGTH 0.
    for short in ["08 80 01 FF", "02 80 FF"] {
      let octets = hex(short)
      position = 0
      #expect(
        (try? ChapterD(octets.span, at: &position, end: octets.count)) == nil,
        "LENGTH is shorter than the header of the log")
    }
  }

  /// S COUNT[7].
  @Test func activeSensingLayoutMatches() {
    expectLayout(
      of: FlaggedValue(true, 9), octets: "89", read: { try? FlaggedValue($0, at: &$1, end: $2) },
      append: { try $0.append(to: &$1) })
  }

  /// S N D C T TOP[3] | CLOCK[16], if C | TIMETOOLS[24], if T.
  @Test func sequencerLayoutMatches() {
    let read: ReadLayout<ChapterQ> = { try? ChapterQ($0, at: &$1, end: $2) }
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
        #expect(read(body.span, &position, end) == nil)
      }
      #expect(written(capacity: body.count) { try chapter.append(to: &$0) } == body)
      #expect(written(capacity: body.count - 1) { try chapter.append(to: &$0) } == nil)
    }
    #expect(ChapterQ(s: false, isRunning: false, isPlayed: false, position: 1 << 19).position == 0, "19 bits")
  }

  /// S C P Q D POINT[3] | COMPLETE[32], if C | PARTIAL[32], if P.
  @Test func timeCodeLayoutMatches() {
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
      #expect((try? ChapterF(body.span, at: &position, end: body.count)) == chapter && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect((try? ChapterF(body.span, at: &position, end: end)) == nil)
      }
      #expect(written(capacity: body.count) { try chapter.append(to: &$0) } == body)
      #expect(written(capacity: body.count - 1) { try chapter.append(to: &$0) } == nil)
    }
  }

  /// S T C F D L STA[2] | TCOUNT, if T | COUNT, if C | FIRST, if F | DATA, if D. The last octet of DATA has bit 7 set.
  @Test func exclusiveLayoutMatches() {
    let data = rigid([0x7D, 0x01, 0x02])
    // Each log, the number of octets of `data` in its DATA, and its encoding. FIRST, here 129, is always written in four octets.
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
      #expect((try? ExclusiveLog(body.span, at: &position, end: body.count)) == expected && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect((try? ExclusiveLog(body.span, at: &position, end: end)) == nil)
      }
      #expect(written(capacity: body.count) { try log.append(data, from: 0, count: count, to: &$0) } == body)
    }
    for (dump, first, meaning) in [
      ("10 81 01", UInt32(129), "FIRST has two octets"), ("10 80 80 80 80 00", nil, "FIRST has five octets"),
      ("08 01 02", nil, "no octet of DATA has bit 7 set"),
    ] as [(String, UInt32?, Comment)] {
      let octets = hex(dump)
      var position = 0
      let log = try? ExclusiveLog(octets.span, at: &position, end: octets.count)
      #expect(log?.first == first && (log == nil) == (first == nil), meaning)
    }
  }
}

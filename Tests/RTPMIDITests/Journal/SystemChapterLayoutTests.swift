import BasicContainers
import MIDI
import Testing
import _TestSupport

@testable import RTPMIDI

/// The layouts of the system journal header and of its chapters (RFC 6295 section 5 and appendix B). In the layouts below, `NAME[n]` is a
/// field of n bits, a single letter is one bit, and `|` separates parts of whole octets.
@Suite struct SystemChapterLayoutTests {
  /// S D V Q F X LENGTH[10].
  @Test func systemJournalHeaderLayoutMatches() {
    expectLayout(
      of: SystemJournalHeader(s: true, hasD: false, hasV: false, hasQ: true, hasF: false, hasX: true, length: 2),
      octets: "94 02", read: { SystemJournalHeader($0, at: &$1, end: $2) }, append: { $0.append(to: &$1) })
    // D, V and F; LENGTH 0x304.
    let packet: [UInt8] = [0x6B, 0x04, 0xFF, 0xFF]
    var position = 0
    #expect(
      SystemJournalHeader(packet.span, at: &position, end: 4) == nil, "LENGTH is 772, but the packet has four octets")
    for length: UInt8 in 0...1 {
      let packet: [UInt8] = [0x68, length, 0xFF]
      #expect(
        SystemJournalHeader(packet.span, at: &position, end: 3) == nil, "LENGTH \(length) is shorter than the header")
    }
    let long = [0x6B, 0x04] + [UInt8](repeating: 0, count: 770)
    let header = SystemJournalHeader(long.span, at: &position, end: 772)
    #expect(header?.length == 772 && header?.hasD == true && header?.hasV == true && header?.hasF == true)
    #expect(position == 2 && header?.word == 0x6B04)
  }

  /// S B G H J K Y Z | a log for each set flag. The logs of B, G and H have one octet.
  @Test func simpleSystemCommandLayoutMatches() {
    expectLayout(
      of: ChapterD(
        s: false, resets: .init(s: true, value: 1), tuneRequests: .init(s: true, value: 127),
        song: .init(s: false, value: 7)), octets: "70 81 FF 07", read: { ChapterD($0, at: &$1, end: $2) },
      append: { $0.append(to: &$1) })
    // The log of H (07), and the logs of undefined commands, which are skipped by their LENGTH: J (C0 03 01), K (A4 05 01 02 80),
    // Y (C2 05) and Z (81).
    let undefined = hex("1F 07 C0 03 01 A4 05 01 02 80 C2 05 81")
    var position = 0
    let chapter = ChapterD(undefined.span, at: &position, end: undefined.count)
    #expect(chapter == ChapterD(s: false, resets: nil, tuneRequests: nil, song: .init(s: false, value: 7)))
    #expect(position == undefined.count)
    for end in 0..<undefined.count {
      position = 0
      #expect(ChapterD(undefined.span, at: &position, end: end) == nil && position == 0)
    }
    // J with LENGTH 1, and Y with LENGTH 0.
    for short in ["08 80 01 FF", "02 80 FF"] {
      let octets = hex(short)
      #expect(
        ChapterD(octets.span, at: &position, end: octets.count) == nil, "LENGTH is shorter than the header of the log")
    }
  }

  /// S COUNT[7].
  @Test func activeSensingLayoutMatches() {
    expectLayout(
      of: ChapterV(s: true, count: 9), octets: "89", read: { ChapterV($0, at: &$1, end: $2) },
      append: { $0.append(to: &$1) })
  }

  /// S N D C T TOP[3] | CLOCK[16], if C | TIMETOOLS[24], if T.
  @Test func sequencerLayoutMatches() {
    let read: ReadLayout<ChapterQ> = { ChapterQ($0, at: &$1, end: $2) }
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
      #expect(ChapterF(body.span, at: &position, end: body.count) == chapter && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect(ChapterF(body.span, at: &position, end: end) == nil && position == 0)
      }
      #expect(octets(capacity: body.count) { _ = chapter.append(to: &$0) } == body)
      #expect(octets(capacity: body.count - 1) { _ = chapter.append(to: &$0) } == [])
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
      #expect(ExclusiveLog(body.span, at: &position, end: body.count) == expected && position == body.count)
      for end in 0..<body.count {
        position = 0
        #expect(ExclusiveLog(body.span, at: &position, end: end) == nil && position == 0)
      }
      #expect(octets(capacity: body.count) { _ = log.append(data, from: 0, count: count, to: &$0) } == body)
    }
    for (dump, first, meaning) in [
      ("10 81 01", UInt32(129), "FIRST has two octets"), ("10 80 80 80 80 00", nil, "FIRST has five octets"),
      ("08 01 02", nil, "no octet of DATA has bit 7 set"),
    ] as [(String, UInt32?, Comment)] {
      let octets = hex(dump)
      var position = 0
      let log = ExclusiveLog(octets.span, at: &position, end: octets.count)
      #expect(log?.first == first && (log == nil) == (first == nil), meaning)
    }
  }
}

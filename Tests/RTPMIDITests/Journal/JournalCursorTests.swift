import MIDI
import Testing
import _TestSupport

@testable import RTPMIDI

/// Reading of a journal log by log, and detection of inconsistent lengths.
@Suite struct JournalCursorTests {
  /// A journal with every chapter (RFC 6295 section 5 and appendices A and B).
  private let journal = hex(
    """
    61 00 08              ; Y, A; two channels; checkpoint 8
    7C 1C                 ; system journal of 28 octets, D V Q F X
    75 05 06 07 00 02 01  ; D: resets, tune requests, song; undefined F5 of 2 octets and FD of 1
    08                    ; V: the count of Active Sensing is 8
    70 01 02              ; Q: running, played, at 258
    70 12 34 56 78 10 00 00 00  ; F: a complete time and a partial one
    2F 03 01 82           ; X: System Exclusive 3, data 01 02, finished
    24 04                 ; X: number 4, open, without data
    00 21 FF              ; channel 1, 33 octets, all chapters
    05 81 02              ; P: program 5 of bank 1, 2
    01 07 40 0B 41        ; C: controllers 7 and 11
    20 06 00 00 82 05     ; M: registered parameter 0, entry 5, still selected
    00 40                 ; W: the pitch wheel is in the middle
    01 77 3C E4 C0        ; N: note 60 held, 56 and 57 ended
    01 38 02 39 90        ; E: note 56 held twice, 57 ended with velocity 16
    11                    ; T: channel pressure 17
    00 3C 22              ; A: the pressure of note 60 is 34
    88 07 08              ; channel 2, 7 octets, N
    81 F0 BD E4           ; note 61 held
    """)

  /// The names of the logs in order, with the prefix "old" if S = 1. S = 1 means that the previous packet contained no
  /// command of the log.
  private func names(_ octets: [UInt8]) throws(PacketError) -> [String] {
    var cursor = try JournalCursor(octets.span, in: Extent(start: 0, end: octets.count))
    var names: [String] = []
    while let log = try cursor.next(in: octets.span) {
      names.append((cursor.sBit ? "old " : "") + String("\(log)".prefix { $0 != "(" }))
    }
    return names
  }

  @Test func everyChapterIsRead() throws {
    #expect(
      try names(journal) == [
        "simpleCommands", "activeSensing", "sequencer", "timeCode", "systemExclusive", "systemExclusive", "program",
        "controller", "controller", "parameter", "selection", "wheel", "note", "noteOff", "noteOff", "channelPressure",
        "polyphonicPressure", "old note",
      ])
  }

  /// Chapter V is S COUNT[7], Chapter W is S FIRST[7] | R SECOND[7], and Chapter T is S PRESSURE[7].
  @Test func chaptersOfOneOrTwoOctetsMatch() throws {
    // Y, A; a system journal of 3 octets with V; channel 1 with W and T. S of the three chapters is 1, and R is 1.
    let octets = hex("60 00 08 20 03 89 00 06 12 81 C0 83")
    var cursor = try JournalCursor(octets.span, in: Extent(start: 0, end: octets.count))
    guard case .activeSensing(count: 9) = try cursor.next(in: octets.span) else {
      Issue.record("no Chapter V")
      return
    }
    #expect(cursor.sBit)
    guard case .wheel(Channel(1)!, let bend) = try cursor.next(in: octets.span) else {
      Issue.record("no Chapter W")
      return
    }
    #expect(cursor.sBit && bend == UInt14(low: 1, high: 64))
    guard case .channelPressure(Channel(1)!, 3) = try cursor.next(in: octets.span) else {
      Issue.record("no Chapter T")
      return
    }
    #expect(cursor.sBit)
    if case .some = try cursor.next(in: octets.span) { Issue.record("more than three logs") }
  }

  @Test func emptyJournalHasThreeOctets() throws {
    #expect(try names(hex("80 12 34")) == [])
  }

  /// A journal is malformed if it is cut off or too long, or if a LENGTH or a number of logs in it is wrong.
  @Test func inconsistentLengthsAreMalformed() {
    for count in 0..<journal.count {
      #expect(throws: PacketError.malformedJournal, "\(count) octets") { try names(Array(journal[..<count])) }
    }
    #expect(throws: PacketError.malformedJournal) { try names(journal + [0]) }
    // The octets with LENGTH of the system journal (4), the channel journals (32, 65) and Chapter M (43), and with LEN of the
    // Chapters C (37), N (50, 67), E (55) and A (61).
    for index in [4, 32, 37, 43, 50, 55, 61, 65, 67] {
      for change in [1, 2, 8] as [UInt8] {
        for changed in [journal[index] &+ change, journal[index] &- change] {
          var other = journal
          other[index] = changed
          #expect(throws: PacketError.malformedJournal, "octet \(index) \(changed)") { try names(other) }
        }
      }
    }
  }
}

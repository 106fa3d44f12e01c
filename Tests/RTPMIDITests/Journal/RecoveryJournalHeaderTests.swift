import MusicalTime
import Testing

@testable import RTPMIDI

@Suite struct RecoveryJournalHeaderTests {
  /// A clock with a journal: the system journal's Chapter Q and two channel journals, by RFC 6295 section 5 and
  /// appendix A.
  private let packet = hex(
    """
    80 61 00 09 00 00 00 02 00 00 00 03
    41 F8           ; J; one octet of commands
    71 00 08        ; Y, A, H; two channels; checkpoint 8
    10 03 40        ; system journal of 3 octets, Q: its chapter says running
    08 06 08 01 90  ; channel 2, 6 octets, N
    3C
    10 05 40 0B 7F  ; channel 3, 5 octets, C
    """)

  private func journal(_ octets: [UInt8]) throws -> RecoveryJournalHeader {
    let cursor = try CommandCursor(octets.span, payload: RTPHeader.decode(octets.span).payload)
    return try RecoveryJournalHeader(octets.span, in: #require(cursor.journal))
  }

  @Test func theJournalIsWalkedAndNeverRead() throws {
    #expect(try journal(packet).checkpoint == 8)
    #expect(try commands(of: Array(packet[12...])) == [.message(0, .clock)])
  }

  @Test func anEmptyJournalIsThreeOctets() throws {
    #expect(try journal(hex("80 61 00 09 00 00 00 02 00 00 00 03 40 80 12 34")).checkpoint == 0x1234)
  }

  @Test func lengthsThatDoNotFit() {
    for count in 14..<packet.count {
      #expect(throws: PacketError.malformedJournal, "\(count) octets") { try journal(Array(packet[..<count])) }
    }
    #expect(throws: PacketError.malformedJournal, "an octet too many") { try journal(packet + [0]) }
    for index in [18, 21, 27] {
      for length in [0, 1, 2, 255] as [UInt8] {
        var other = packet
        other[index] = length
        if other != packet { #expect(throws: PacketError.malformedJournal) { try journal(other) } }
      }
    }
  }

  @Test func aMalformedJournalIsCountedAndTheCommandsCount() throws {
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 0)
    let cut = Array(packet.dropLast())
    try receiver.open(cut.span, near: Instant(nanoseconds: 0))
    #expect(try receiver.next(in: cut.span) == .message(.clock, Instant(nanoseconds: 200_000)))
    #expect(try receiver.next(in: cut.span) == nil)
    #expect(receiver.statistics.malformedJournals == 1 && receiver.statistics.malformed == 0)
  }
}

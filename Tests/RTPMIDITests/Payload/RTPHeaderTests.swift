import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// Decoding of the RTP header (RFC 3550 section 5.1).
@Suite struct RTPHeaderTests {
  private func decode(_ octets: [UInt8]) throws -> (RTPHeader, Extent) { try RTPHeader.decode(octets.span) }

  @Test func fixedHeaderIsDecoded() throws {
    let packet = hex(
      """
      80 61        ; version 2, no padding, no extension, no contributing sources; M is 0, payload type 97
      01 02        ; sequence number
      0A 0B 0C 0D  ; time stamp
      F0 E0 D0 C0  ; SSRC
      01 F8        ; payload
      """)
    let (header, payload) = try decode(packet)
    #expect(header == RTPHeader(sequence: 0x0102, timestamp: 0x0A0B_0C0D, ssrc: 0xF0E0_D0C0))
    #expect(payload.start == 12 && payload.end == 14)
    var marked = packet
    marked[1] = 0xE1
    #expect(try decode(marked).0 == header, "M = 1 is accepted")
  }

  @Test func sourcesExtensionAndPaddingAreSkipped() throws {
    let packet = hex(
      """
      B2 61 00 01 00 00 00 02 00 00 00 03  ; padding, extension, two contributing sources
      11 11 11 11 22 22 22 22              ; the sources
      BE DE 00 01 33 33 33 33              ; extension of one word
      01 F8                                ; payload
      00 00 03                             ; three octets of padding
      """)
    let (header, payload) = try decode(packet)
    #expect(header.ssrc == 3 && payload.start == 28 && payload.end == 30)
    // The header, the sources and the extension have 12 + 8 + 8 = 28 octets. A packet that is cut within them is rejected. The P bit is
    // still set, so the last octet counts as the length of the padding, and the kind of error depends on this octet.
    for count in 0..<28 { #expect(throws: PacketError.self, "\(count) octets") { try decode(Array(packet[..<count])) } }
  }

  @Test func headerExtensionIsLocated() throws {
    let packet = hex(
      """
      92 61 00 01 00 00 00 02 00 00 00 03  ; extension, two contributing sources
      11 11 11 11 22 22 22 22              ; the sources
      BE DE 00 02                          ; profile, two words
      FF FF FF FF FF FF FF FE              ; data
      01 F8                                ; payload
      """)
    let (header, payload) = try decode(packet)
    let headerExtension = try #require(header.headerExtension)
    // The extension has a header of 4 octets and two words of data. The data begin after 12 + 8 + 4 octets.
    #expect(headerExtension.profile == 0xBEDE && headerExtension.words == 2 && headerExtension.length == 12)
    #expect(headerExtension.data.start == 24 && headerExtension.data.end == 32)
    #expect(header.ssrc == 3 && payload.start == 32 && payload.end == 34)
    // A packet that ends before the payload is rejected.
    for count in 0..<32 { #expect(throws: PacketError.self, "\(count) octets") { try decode(Array(packet[..<count])) } }
    // Octet 23 is the low octet of the number of words. With fewer words, the payload begins earlier.
    for words in 0...2 {
      var other = packet
      other[23] = UInt8(words)
      let (header, payload) = try decode(other)
      #expect(payload.start == 24 + 4 * words && header.headerExtension?.words == UInt16(words))
    }
  }

  @Test func packetsOfOtherFormatsAreRejected() {
    let packet = hex("80 61 00 01 00 00 00 02 00 00 00 03 01 F8")
    // Other versions of RTP (octet 0), and other payload types (octet 1).
    for (index, octet) in [(0, 0x40), (0, 0xC0), (0, 0x00), (1, 0x60), (1, 0x00)] as [(Int, UInt8)] {
      var other = packet
      other[index] = octet
      #expect(throws: PacketError.notRTPMIDI) { try decode(other) }
    }
    // The last octet is the length of the padding. 0 is invalid, and 3 and 255 exceed the two octets after the header.
    for padding in [0, 3, 255] as [UInt8] {
      var padded = hex("A0 61 00 01 00 00 00 02 00 00 00 03 01")
      padded.append(padding)
      #expect(throws: PacketError.self) { try decode(padded) }
    }
  }

  /// The time stamp 0 is replaced by 1, because one known receiver interprets 0 as the start of a session.
  @Test func timeStampsCountUnitsOf100MicrosecondsAndAreNever0() {
    // The instant in nanoseconds, and its time stamp: the number of whole units, rounded down. The time stamp wraps after 2^32 units,
    // 429 496.7296 s.
    let table: [(Int64, UInt32)] = [
      (0, 1), (99_999, 1), (100_000, 1), (200_000, 2), (1_000_000_000, 10_000), (-1, .max),
      (429_496_729_600_000, 1), (429_496_729_599_999, .max), (429_496_729_800_000, 2),
    ]
    for (nanoseconds, stamp) in table {
      #expect(RTPHeader.timestamp(of: Instant(nanoseconds: nanoseconds)) == stamp)
    }
  }
}

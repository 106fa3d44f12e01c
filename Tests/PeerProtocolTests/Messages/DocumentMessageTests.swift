import PeerProtocol
import Testing

/// Tests of the encoding of ``DocumentRequest`` and ``DocumentPart``, by which peers get documents in parts of at most 900 octets.
@Suite struct DocumentMessageTests {
  private let digest = DocumentDigest(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)!

  /// The first octets of the SHA-256 of "abc" (FIPS 180-4, example B.1).
  @Test func digestIsTheBeginningOfSHA256() {
    #expect(DocumentDigest(of: Array("abc".utf8)).description == "ba7816bf8f01cfea414140de5dae2223")
    #expect(DocumentDigest(high: 0, low: 0) == nil)
    #expect(DocumentDigest(high: 0, low: 0xA)?.description == "0000000000000000000000000000000a")
  }

  @Test func layoutOfARequestIsAsDocumented() {
    let request = DocumentRequest(.rhythm, digest, from: 0x102)
    // After the first row, the first byte of each row contains the top bits of the octets after it.
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x05,  // non-commercial use; 'T'; version 3; kind 5, document request
      0x00, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,  // kind of the document; digest, 1 to 6
      0x00, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D,  // digest, 7 to 13
      0x00, 0x0E, 0x0F, 0x10, 0x01, 0x02,  // digest, 14 to 16; first part
    ]
    #expect(request.systemExclusive == expected && DocumentRequest(systemExclusive: expected) == request)
    for n in expected.indices { #expect(DocumentRequest(systemExclusive: Array(expected[..<n])) == nil) }
    #expect(DocumentRequest(systemExclusive: expected + [0]) == DocumentRequest(systemExclusive: expected))
    let last = DocumentRequest(.rhythm, digest, from: UInt16(DocumentPart.maximumCount - 1))
    #expect(DocumentRequest(systemExclusive: last.systemExclusive) == last)
    let tooLarge = DocumentRequest(.rhythm, digest, from: UInt16(DocumentPart.maximumCount))
    #expect(DocumentRequest(systemExclusive: tooLarge.systemExclusive) == nil)
  }

  @Test func layoutOfAPartIsAsDocumented() {
    let part = DocumentPart(.rhythm, digest, index: 2, of: 3, octets: [0xE2])
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x06,  // non-commercial use; 'T'; version 3; kind 6, document part
      0x00, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,  // kind of the document; digest, 1 to 6
      0x00, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D,  // digest, 7 to 13
      0x00, 0x0E, 0x0F, 0x10, 0x00, 0x02, 0x00, 0x03,  // digest, 14 to 16; index; count
      0x40, 0x62,  // octet E2
    ]
    #expect(part.systemExclusive == expected && DocumentPart(systemExclusive: expected) == part)
    for n in expected.indices { #expect(DocumentPart(systemExclusive: Array(expected[..<n])) == nil) }
  }

  /// A later release has more kinds of documents. Their messages can be decoded, and the ensemble ignores them.
  @Test func unknownKindIsDecoded() {
    var part = DocumentPart(.rhythm, digest, index: 0, of: 1, octets: [1])
    part.kind = 9
    #expect(DocumentPart(systemExclusive: part.systemExclusive) == part)
  }

  /// A part has at most 900 octets. With kind, digest, index and count, these are 921 octets, which take 1053 bytes. The message also has
  /// four bytes at the beginning, F0 and F7.
  @Test func longestPartHas1059Bytes() {
    let octets = (0..<900).map { UInt8(truncatingIfNeeded: $0) }
    let part = DocumentPart(.rhythm, digest, index: 0, of: 1166, octets: octets)
    #expect(part.systemExclusive.count + 2 == 1059 && DocumentPart(systemExclusive: part.systemExclusive) == part)
  }

  /// The arguments are the index of a part, the number of all parts, and the length of the part. No part can have these three values: the
  /// index is less than the number of parts, there are at most 1166 parts, the last part has 1 to 900 octets, and all other parts have 900.
  @Test(arguments: [
    (0, 1167, 900), (3, 3, 900), (0, 0, 1), (0, 2, 899), (0, 1, 0), (0, 1, 901),
  ]) func impossiblePartIsRefused(index: Int, count: Int, length: Int) {
    let octets = [UInt8](repeating: 1, count: length)
    let part = DocumentPart(.rhythm, digest, index: UInt16(index), of: UInt16(count), octets: octets)
    #expect(DocumentPart(systemExclusive: part.systemExclusive) == nil)
  }
}

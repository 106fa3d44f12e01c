import PeerProtocol
import Testing

/// Tests of the encoding of ``PatchRequest`` and ``PatchPart``, by which a peer gets the patch of the master in parts of at most 64 octets.
@Suite struct PatchMessageTests {
  private let digest = PatchDigest(bits: 0x0102_0304_0506_0708)!

  /// The first octets of the SHA-256 of "abc" (FIPS 180-4, example B.1).
  @Test func digestIsTheBeginningOfSHA256() {
    #expect(PatchDigest(of: Array("abc".utf8)).description == "ba7816bf8f01cfea")
    #expect(PatchDigest(bits: 0) == nil && PatchDigest(bits: 0xA)?.description == "000000000000000a")
  }

  @Test func layoutOfARequestIsAsDocumented() {
    let request = PatchRequest(digest, from: 0x102)
    // After the first row, the first byte of each row contains the top bits of the octets after it.
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x05,  // non-commercial use; 'T'; version 3; kind 5, patch request
      0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,  // digest, 1 to 7
      0x00, 0x08, 0x01, 0x02,  // digest, 8; first part
    ]
    #expect(request.systemExclusive == expected && PatchRequest(systemExclusive: expected) == request)
    for n in expected.indices { #expect(PatchRequest(systemExclusive: Array(expected[..<n])) == nil) }
    #expect(PatchRequest(systemExclusive: expected + [0]) == PatchRequest(systemExclusive: expected))
    let last = PatchRequest(digest, from: UInt16(PatchPart.maximumCount - 1))
    #expect(PatchRequest(systemExclusive: last.systemExclusive) == last)
    #expect(PatchRequest(systemExclusive: PatchRequest(digest, from: 512).systemExclusive) == nil)
  }

  @Test func layoutOfAPartIsAsDocumented() {
    let part = PatchPart(digest, index: 2, of: 3, octets: [0xE2])
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x06,  // non-commercial use; 'T'; version 3; kind 6, patch part
      0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,  // digest, 1 to 7
      0x02, 0x08, 0x00, 0x02, 0x00, 0x03, 0x62,  // digest, 8; index; count; octet E2
    ]
    #expect(part.systemExclusive == expected && PatchPart(systemExclusive: expected) == part)
    for n in expected.indices { #expect(PatchPart(systemExclusive: Array(expected[..<n])) == nil) }
  }

  /// A part has at most 64 octets. With digest, index and count, these are 76 octets, which take 87 bytes. The message also has four
  /// bytes at the beginning, F0 and F7.
  @Test func longestPartHas93Bytes() {
    let part = PatchPart(digest, index: 0, of: 512, octets: Array(128..<192))
    #expect(part.systemExclusive.count + 2 == 93 && PatchPart(systemExclusive: part.systemExclusive) == part)
  }

  /// The arguments are the index of a part, the number of all parts, and the length of the part. No part can have these three values: the
  /// index is less than the number of parts, there are at most 512 parts, the last part has 1 to 64 octets, and all other parts have 64.
  @Test(arguments: [
    (0, 513, 64), (3, 3, 64), (0, 0, 1), (0, 2, 63), (0, 1, 0), (0, 1, 65),
  ]) func impossiblePartIsRefused(index: Int, count: Int, length: Int) {
    let octets = [UInt8](repeating: 1, count: length)
    let part = PatchPart(digest, index: UInt16(index), of: UInt16(count), octets: octets)
    #expect(PatchPart(systemExclusive: part.systemExclusive) == nil)
  }
}

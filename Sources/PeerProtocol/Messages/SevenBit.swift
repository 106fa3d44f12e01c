/// The encoding of octets in MIDI data bytes of seven bits (MIDI 1.0, File Dump, "encoded data").
///
/// The octets are divided into groups of seven; the last group can be shorter. Each group is encoded as a byte with the
/// top bits of its octets, and then the lower seven bits of each octet. The top bit of the first octet of the group is
/// bit 6 of the first byte, that of the second octet is bit 5, and so on.
enum SevenBit {
  /// Appends the encoded `octets` to `bytes`.
  static func encode(_ octets: [UInt8], to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + octets.count + (octets.count + 6) / 7)
    for start in stride(from: 0, to: octets.count, by: 7) {
      let group = start..<min(start + 7, octets.count)
      var tops: UInt8 = 0
      for n in group { tops |= (octets[n] & 0x80) >> (n - start + 1) }
      bytes.append(tops)
      for n in group { bytes.append(octets[n] & 0x7F) }
    }
  }

  /// Decodes `bytes`. Returns nil if a byte has its top bit set, or if the last group consists of the byte with the top
  /// bits only.
  static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.allSatisfy({ $0 < 0x80 }), bytes.count % 8 != 1 else { return nil }
    var octets: [UInt8] = []
    octets.reserveCapacity(bytes.count)
    var tops: UInt8 = 0
    for (n, byte) in bytes.enumerated() {
      if n % 8 == 0 { tops = byte } else { octets.append(byte | (tops << (n % 8)) & 0x80) }
    }
    return octets
  }
}

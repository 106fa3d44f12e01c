/// Octets carried in MIDI's data bytes of seven bits: each group of up to seven octets follows a byte that holds their
/// top bits, the first octet's in bit 6 (MIDI 1.0, File Dump, "encoded data").
enum SevenBit {
  static func encode(_ octets: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: 7) {
      let group = octets[start..<min(start + 7, octets.count)]
      var tops: UInt8 = 0
      for (n, octet) in group.enumerated() where octet & 0x80 != 0 { tops |= 0x40 >> n }
      bytes.append(tops)
      bytes.append(contentsOf: group.map { $0 & 0x7F })
    }
    return bytes
  }

  /// Nil when a byte has its top bit set or a group is empty.
  static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    var octets: [UInt8] = []
    var rest = bytes
    while let tops = rest.popFirst() {
      let group = rest.prefix(7)
      guard !group.isEmpty else { return nil }
      for (n, byte) in group.enumerated() { octets.append(byte | (tops << (n + 1)) & 0x80) }
      rest = rest.dropFirst(7)
    }
    return octets
  }
}

extension String {
  /// Decodes the octets of a name, which another program may have cut in the middle of a character. If the last UTF-8 sequence is incomplete,
  /// its octets are dropped. All other invalid octets become U+FFFD.
  ///
  /// Real-time: not safe.
  package init(name octets: some BidirectionalCollection<UInt8>) {
    // A sequence has at most four octets. The first octet of a sequence with several octets is at least C2.
    var (start, length) = (octets.endIndex, 0)
    while length < 3, start != octets.startIndex {
      start = octets.index(before: start)
      length += 1
      // The octets 80...BF continue a sequence.
      if octets[start] & 0xC0 != 0x80 { break }
    }
    let needed =
      switch start == octets.endIndex ? 0 : octets[start] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    self.init(decoding: needed > length ? octets[..<start] : octets[...], as: UTF8.self)
  }
}

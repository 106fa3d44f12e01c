/// The lines of a document. Only messages need them, so they are counted when a message is made: expat would read every octet a second
/// time.
struct LineCounter {
  private let octets: [UInt8]
  /// The number of octets of a line feed: 2 in UTF-16.
  private let width: Int
  // The place up to which lines have been counted. Messages come in the order of the file.
  private var offset = 0
  private var lines = 1

  init(_ octets: [UInt8]) {
    self.octets = octets
    width = octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF]) ? 2 : 1
  }

  /// The line of an offset in octets, counted from 1.
  mutating func line(at end: Int) -> Int {
    if end < offset { (offset, lines) = (0, 1) }
    while offset + width <= min(end, octets.count) {
      // In UTF-16, either order of the octets 0A and 00 is a line feed.
      let (first, last) = (octets[offset], octets[offset + width - 1])
      if width == 1 ? first == 0x0A : (first, last) == (0x0A, 0) || (first, last) == (0, 0x0A) { lines += 1 }
      offset += width
    }
    return lines
  }
}

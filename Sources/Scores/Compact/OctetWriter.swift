/// Appends numbers and texts to octets: seven bits per octet, the lowest first, the eighth bit on all but the last (LEB128, as DWARF and
/// WebAssembly use it). Signed numbers alternate: 0, -1, 1, -2 become 0, 1, 2, 3.
struct OctetWriter {
  private(set) var octets: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    octets.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func add(_ number: some BinaryInteger) { add(UInt64(truncatingIfNeeded: number)) }

  mutating func add(signed number: some BinaryInteger) {
    let value = Int64(truncatingIfNeeded: number)
    add(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func add(_ text: String) {
    add(text.utf8.count)
    octets.append(contentsOf: text.utf8)
  }

  mutating func add(_ text: String?) {
    add(flags: text != nil)
    if let text { add(text) }
  }

  /// A fraction: the denominator, and the numerator with its sign.
  mutating func add(_ fraction: Fraction) {
    add(fraction.denominator)
    add(signed: fraction.numerator)
  }

  /// Up to 16 flags as one number, the first in bit 0.
  mutating func add(flags: Bool...) {
    var bits: UInt64 = 0
    for (index, flag) in flags.enumerated() where flag { bits |= 1 << UInt64(index) }
    add(bits)
  }

  mutating func add<Element>(_ list: [Element], _ body: (inout OctetWriter, Element) -> Void) {
    add(list.count)
    for element in list { body(&self, element) }
  }
}

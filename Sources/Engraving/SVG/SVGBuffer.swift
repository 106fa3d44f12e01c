/// The octets of an SVG document while they are written.
///
/// Lengths are written in tenths of a staff space, so that most coordinates of a staff are integers, with at most two decimals. The digits
/// of a number do not depend on the machine or its language.
struct SVGBuffer {
  private(set) var octets: [UInt8] = []
  /// The x in staff spaces that is written as 0.
  var origin = 0.0

  /// The units of the document in a staff space.
  static let unit = 10.0

  mutating func reserve(_ count: Int) { octets.reserveCapacity(count) }

  /// Appends text that needs no escape.
  mutating func add(_ text: String) { octets.append(contentsOf: text.utf8) }

  mutating func add(_ other: SVGBuffer) { octets.append(contentsOf: other.octets) }

  /// Appends an integer.
  mutating func add(_ value: Int) { add(decimals: 0, value) }

  /// Appends a length or coordinate in staff spaces with one decimal: a hundredth of a space.
  mutating func add(space value: Double) { add(decimals: 1, Self.scaled(value * Self.unit * 10)) }

  /// Appends a number with two decimals.
  mutating func add(number value: Double) { add(decimals: 2, Self.scaled(value * 100)) }

  /// Appends an x relative to ``origin``.
  mutating func add(x: Double) { add(space: x - origin) }

  /// Two coordinates, x relative to ``origin``. A minus sign separates them, otherwise a space.
  mutating func add(_ point: Point) {
    add(x: point.x)
    add(next: point.y)
  }

  /// Appends a coordinate after another.
  mutating func add(next value: Double) {
    let scaled = Self.scaled(value * Self.unit * 10)
    if scaled >= 0 { octets.append(UInt8(ascii: " ")) }
    add(decimals: 1, scaled)
  }

  /// Appends the difference of two coordinates as they are written, so that errors of rounding do not add up.
  mutating func add(difference from: Double, _ to: Double, isFirst: Bool = false) {
    let difference = Self.scaled(to * Self.unit * 10) - Self.scaled(from * Self.unit * 10)
    if difference >= 0, !isFirst { octets.append(UInt8(ascii: " ")) }
    add(decimals: 1, difference)
  }

  /// Coordinates beyond this are cut off: 10 km of staff.
  private static let largest = 1e9

  /// The nearest integer; 0 for what is no number. Halves are rounded up even if the last bit of a sum is missing, so that equal distances
  /// have equal digits.
  private static func scaled(_ value: Double) -> Int {
    value.isNaN ? 0 : Int((max(-largest, min(largest, value)) + 0.5 + 1e-6).rounded(.down))
  }

  /// Appends `value` divided by a power of ten, without zeros at either end: `-.5`, `12`, `3.25`.
  private mutating func add(decimals: Int, _ value: Int) {
    if value == 0 { return octets.append(UInt8(ascii: "0")) }
    if value < 0 { octets.append(UInt8(ascii: "-")) }
    var digits = value.magnitude
    var fraction = decimals
    while fraction > 0, digits % 10 == 0 {
      digits /= 10
      fraction -= 1
    }
    let start = octets.count
    var count = 0
    while digits > 0 || count < fraction {
      if count == fraction, fraction > 0 { octets.append(UInt8(ascii: ".")) }
      octets.append(UInt8(ascii: "0") + UInt8(digits % 10))
      digits /= 10
      count += 1
    }
    if count == fraction, fraction > 0 { octets.append(UInt8(ascii: ".")) }
    octets[start...].reverse()
  }

  /// Appends ` name="value"` with an escaped value.
  mutating func add(attribute name: String, _ value: String) {
    add(" ")
    add(name)
    add("=\"")
    add(escaped: value)
    add("\"")
  }

  /// Appends text from a score. Characters that XML 1.0 excludes are left out, and so are those that change the direction of what
  /// follows them.
  mutating func add(escaped text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: add("&amp;")
      case 0x3C: add("&lt;")
      case 0x3E: add("&gt;")
      case 0x22: add("&quot;")
      case 9, 10, 13: add(" ")
      case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: break
      case let value where value & 0xFFFE == 0xFFFE: break
      case ..<0x80: octets.append(UInt8(truncatingIfNeeded: scalar.value))
      default: for octet in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { octets.append(octet) }
      }
    }
  }
}

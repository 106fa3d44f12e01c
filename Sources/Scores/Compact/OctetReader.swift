/// Reads what ``OctetWriter`` writes. The octets may come from anywhere: each count is bounded by its limit and by the octets that remain,
/// so that the memory never exceeds a small multiple of the octets.
struct OctetReader {
  private let octets: [UInt8]
  private var offset = 0

  init(_ octets: [UInt8]) { self.octets = octets }

  var isAtEnd: Bool { offset == octets.count }

  func damaged(_ thing: String) -> ScoreFault {
    ScoreFault("octet \(offset) of the score", "\(thing) is damaged", "send or export the score again")
  }

  mutating func number(_ limit: UInt64 = .max, _ thing: String = "a number") throws(ScoreFault) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while offset < octets.count, shift < 64 {
      let octet = octets[offset]
      offset += 1
      let bits = UInt64(octet & 0x7F)
      guard (bits << shift) >> shift == bits else { break }
      value |= bits << shift
      if octet < 0x80 {
        // A number has one form only, so that equal scores have equal octets.
        guard value <= limit, octet != 0 || shift == 0 else { break }
        return value
      }
      shift += 7
    }
    throw damaged(thing)
  }

  mutating func integer<Number: FixedWidthInteger>(_ limit: Number = .max) throws(ScoreFault) -> Number {
    Number(truncatingIfNeeded: try number(UInt64(limit)))
  }

  mutating func signed<Number: FixedWidthInteger & SignedInteger>() throws(ScoreFault) -> Number {
    let bits = try number()
    let value = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    guard let number = Number(exactly: value) else { throw damaged("a number") }
    return number
  }

  mutating func count(_ limit: Int, _ thing: String) throws(ScoreFault) -> Int {
    let count = Int(try number(UInt64(limit), thing))
    // Each element takes at least one octet.
    guard count <= octets.count - offset else { throw damaged(thing) }
    return count
  }

  mutating func text() throws(ScoreFault) -> String {
    let count = try count(Score.Limits.text, "a text")
    let end = offset + count
    guard let text = String(validating: octets[offset..<end], as: UTF8.self) else { throw damaged("a text") }
    guard text.unicodeScalars.allSatisfy(isPermitted) else { throw damaged("a text") }
    offset = end
    return text
  }

  /// Lines, controls and writing directions would change the place where a name appears. Readers of files remove them.
  private func isPermitted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    default: true
    }
  }

  mutating func optionalText() throws(ScoreFault) -> String? { try flags(1) & 1 == 0 ? nil : text() }

  mutating func fraction() throws(ScoreFault) -> Fraction {
    let denominator = Int64(try number(UInt64(Int64.max)))
    let numerator: Int64 = try signed()
    guard let fraction = Fraction(numerator, denominator), fraction.denominator == denominator else {
      throw damaged("a fraction")
    }
    return fraction
  }

  /// Flags in the order of ``OctetWriter/add(flags:)``.
  mutating func flags(_ count: Int) throws(ScoreFault) -> UInt64 { try number(1 << UInt64(count) - 1, "a flag") }

  mutating func value<Value: RawRepresentable<UInt8>>() throws(ScoreFault) -> Value {
    guard let value = Value(rawValue: try integer()) else { throw damaged("a value") }
    return value
  }

  mutating func list<Element>(
    _ limit: Int, _ thing: String, _ body: (inout OctetReader) throws(ScoreFault) -> Element
  ) throws(ScoreFault) -> [Element] {
    let count = try count(limit, thing)
    var list: [Element] = []
    list.reserveCapacity(min(count, 4096))
    for _ in 0..<count { list.append(try body(&self)) }
    return list
  }
}

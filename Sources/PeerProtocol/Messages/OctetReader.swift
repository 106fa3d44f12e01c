/// Reads numbers that an ``OctetWriter`` wrote, one after another. Octets beyond the end are read as 0; ``isIncomplete`` then becomes true.
struct OctetReader {
  private var rest: ArraySlice<UInt8>
  /// Whether more octets were read than there are.
  private(set) var isIncomplete = false

  init(_ octets: [UInt8]) { rest = octets[...] }

  /// Reads the next number.
  mutating func take<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
    var value: Value = 0
    isIncomplete = isIncomplete || rest.count < Value.bitWidth / 8
    for _ in 0..<Value.bitWidth / 8 { value = value << 8 | Value(truncatingIfNeeded: rest.popFirst() ?? 0) }
    return value
  }

  /// Whether all octets have been read.
  var isAtEnd: Bool { rest.isEmpty }

  /// Reads the next octets.
  mutating func take(_ count: Int) -> [UInt8] {
    isIncomplete = isIncomplete || rest.count < count
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads all remaining octets.
  mutating func takeAll() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Reads a claim: its term and its identity. Returns nil if the term is not in ``Claim/terms``.
  mutating func takeClaim() -> Claim? {
    let (term, identity) = (take(UInt64.self), Identity(take(UInt64.self)))
    let claim = Claim(term: term & ~Claim.keptBit, identity: identity, isKept: term & Claim.keptBit != 0)
    return Claim.terms.contains(claim.term) ? claim : nil
  }
}

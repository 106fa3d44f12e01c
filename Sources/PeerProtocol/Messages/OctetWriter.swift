/// Writes numbers one after another in network byte order (big-endian).
struct OctetWriter {
  private(set) var octets: [UInt8] = []

  init(capacity: Int) { octets.reserveCapacity(capacity) }

  /// Appends a number.
  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      octets.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a claim: its term and its identity. The highest bit of the term is set if the claim is kept (``Claim/isKept``).
  mutating func put(_ claim: Claim) {
    put(claim.term | (claim.isKept ? Claim.keptBit : 0))
    put(claim.identity.bits)
  }
}

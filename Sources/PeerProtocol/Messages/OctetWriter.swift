/// Puts numbers one after another, big endian, as network protocols have them.
struct OctetWriter {
  private(set) var octets: [UInt8] = []

  init(capacity: Int) { octets.reserveCapacity(capacity) }

  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      octets.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func put(_ claim: Claim) {
    put(claim.term)
    put(claim.identity.bits)
  }
}

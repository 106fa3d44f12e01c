import BasicContainers

// Integers in network byte order (big-endian). The caller has checked that the array has room for the octets, or that the
// octets to read exist.

extension RigidArray where Element == UInt8 {
  @_noLocks @_noAllocation
  package mutating func append(bigEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  @_noLocks @_noAllocation
  package mutating func append(bigEndian value: UInt32) {
    append(bigEndian: UInt16(truncatingIfNeeded: value >> 16))
    append(bigEndian: UInt16(truncatingIfNeeded: value))
  }

  @_noLocks @_noAllocation
  package mutating func append(bigEndian value: UInt64) {
    append(bigEndian: UInt32(truncatingIfNeeded: value >> 32))
    append(bigEndian: UInt32(truncatingIfNeeded: value))
  }
}

extension RigidArray where Element == UInt8 {
  /// Overwrites the two octets that start at `index`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func replace(at index: Int, bigEndian value: UInt16) {
    self[index] = UInt8(truncatingIfNeeded: value >> 8)
    self[index + 1] = UInt8(truncatingIfNeeded: value)
  }
}

extension Span where Element == UInt8 {
  @_noLocks @_noAllocation
  package func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

  @_noLocks @_noAllocation
  package func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) << 16 | UInt32(uint16(at: index + 2)) }

  @_noLocks @_noAllocation
  package func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) << 32 | UInt64(uint32(at: index + 4)) }
}

// Real-time code may borrow a Span but not create one. Therefore the same functions exist for arrays.
extension RigidArray where Element == UInt8 {
  @_noLocks @_noAllocation
  package func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

  @_noLocks @_noAllocation
  package func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) << 16 | UInt32(uint16(at: index + 2)) }

  @_noLocks @_noAllocation
  package func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) << 32 | UInt64(uint32(at: index + 4)) }
}

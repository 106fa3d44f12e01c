import BasicContainers

/// The network's byte order. The caller has checked that there is room, or that the bytes are there.
extension RigidArray where Element == UInt8 {
  @_noLocks @_noAllocation
  mutating func append(bigEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  @_noLocks @_noAllocation
  mutating func append(bigEndian value: UInt32) {
    append(bigEndian: UInt16(truncatingIfNeeded: value >> 16))
    append(bigEndian: UInt16(truncatingIfNeeded: value))
  }

  @_noLocks @_noAllocation
  mutating func append(bigEndian value: UInt64) {
    append(bigEndian: UInt32(truncatingIfNeeded: value >> 32))
    append(bigEndian: UInt32(truncatingIfNeeded: value))
  }
}

extension RigidArray where Element == UInt8 {
  /// Writes over the two octets from `index` on.
  @_noLocks @_noAllocation
  mutating func replace(at index: Int, bigEndian value: UInt16) {
    self[index] = UInt8(truncatingIfNeeded: value >> 8)
    self[index + 1] = UInt8(truncatingIfNeeded: value)
  }
}

extension Span where Element == UInt8 {
  @_noLocks @_noAllocation
  func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

  @_noLocks @_noAllocation
  func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) << 16 | UInt32(uint16(at: index + 2)) }

  @_noLocks @_noAllocation
  func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) << 32 | UInt64(uint32(at: index + 4)) }
}

// The same for a datagram in an array: real-time code may borrow a Span but not own one.
extension RigidArray where Element == UInt8 {
  @_noLocks @_noAllocation
  func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

  @_noLocks @_noAllocation
  func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) << 16 | UInt32(uint16(at: index + 2)) }

  @_noLocks @_noAllocation
  func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) << 32 | UInt64(uint32(at: index + 4)) }
}

extension Span where Element == UInt8 {
  /// A copy of the first `count` octets, or of all if there are fewer.
  ///
  /// Real-time: not safe.
  func firstOctets(_ count: Int) -> RigidArray<UInt8> {
    var copy = RigidArray<UInt8>(capacity: count)
    for index in 0..<Swift.min(count, self.count) { copy.append(self[index]) }
    return copy
  }
}

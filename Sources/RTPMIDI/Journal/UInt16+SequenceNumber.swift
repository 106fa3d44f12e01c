extension UInt16 {
  /// Whether this sequence number is later than `other`, also if the numbers have wrapped between the two. The two numbers
  /// must be less than 2^15 apart (RFC 1982).
  @_noLocks @_noAllocation
  package func isAfter(_ other: UInt16) -> Bool { Int16(bitPattern: self &- other) > 0 }
}

/// Flags in the octets of a journal. Most parts of a journal begin with the S bit (RFC 6295, appendix A.1), which is
/// described at ``RecoveryJournalHeader/s``.
extension UInt8 {
  /// Whether any bit of `mask` is set.
  @_noLocks @_noAllocation
  func has(_ mask: UInt8) -> Bool { self & mask != 0 }

  /// Returns `mask` if `flag` is true, otherwise 0.
  @_noLocks @_noAllocation
  static func bit(_ mask: UInt8, if flag: Bool) -> UInt8 { flag ? mask : 0 }
}

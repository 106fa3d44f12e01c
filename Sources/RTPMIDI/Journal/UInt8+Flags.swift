/// Flags in the octets of a journal.
///
/// Most elements begin with the S bit, for single-packet loss (RFC 6295, appendix A.1). It is 1 unless the element, or
/// an element inside it, codes a command of the packet directly before. A receiver that has lost only that packet can
/// skip every element with S = 1. The layouts in this folder name it `s`.
extension UInt8 {
  /// Whether any bit of `mask` is set.
  @_noLocks @_noAllocation
  func has(_ mask: UInt8) -> Bool { self & mask != 0 }

  /// `mask` if `flag`, else 0.
  @_noLocks @_noAllocation
  static func bit(_ mask: UInt8, if flag: Bool) -> UInt8 { flag ? mask : 0 }
}

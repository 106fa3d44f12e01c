/// The flags of a journal's octets.
///
/// Most elements begin with one named S, for single-packet loss (RFC 6295, appendix A.1): 1 unless the element, or one
/// inside it, codes a command of the packet just before. A receiver that has lost that packet alone may skip whatever
/// has S set. Each layout here has it as `s`.
extension UInt8 {
  /// Whether any bit of `mask` is set.
  @_noLocks @_noAllocation
  func has(_ mask: UInt8) -> Bool { self & mask != 0 }

  /// `mask` if `flag`, else 0.
  @_noLocks @_noAllocation
  static func bit(_ mask: UInt8, if flag: Bool) -> UInt8 { flag ? mask : 0 }
}

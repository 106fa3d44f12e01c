/// The escape sequences that a terminal sends for keys without a character, such as arrows and function keys: ESC [ and further octets
/// (control sequence, ECMA-48, section 5.4), or ESC O and one octet (single shift three, section 8.3.143). The Linux console sends F1 to
/// F5 as ESC [ [ and one octet.
///
/// The octets of these sequences must not act as keys of ``KeyBindings``. Otherwise, the up arrow (ESC [ A) would act as the key `[`,
/// and F5 (ESC [ 1 5 ~) would set the activity.
enum EscapeSequence {
  static let escape: UInt8 = 0x1B

  /// Returns the number of octets at the start of `octets` that belong to the escape sequence, without the Escape itself; 0 if the
  /// player has pressed the Escape key.
  ///
  /// - Parameter octets: the octets that follow the Escape and arrived together with it. A terminal sends all octets of a sequence at once.
  ///   If a player types Escape and then `[`, the two octets arrive separately.
  static func length(after octets: ArraySlice<UInt8>) -> Int {
    guard let first = octets.first else { return 0 }
    switch first {
    case UInt8(ascii: "O"): return min(2, octets.count)
    case UInt8(ascii: "["):
      if octets.dropFirst().first == UInt8(ascii: "[") { return min(3, octets.count) }
      // Parameters and intermediate octets are 0x20...0x3F. The first octet outside this range ends the sequence.
      let parameters = octets.dropFirst().prefix { (0x20...0x3F).contains($0) }.count
      return min(1 + parameters + 1, octets.count)
    default: return 0
    }
  }
}

/// The escape sequences that a terminal sends for keys without a character, such as arrows and function keys: ESC [ and further octets
/// (control sequence, ECMA-48, section 5.4), or ESC O and one octet (single shift three, section 8.3.143). The Linux console sends F1 to
/// F5 as ESC [ [ and one octet.
///
/// Their octets are no keys of ``KeyBindings``. Otherwise, the arrow up (ESC [ A) would play the key `[`, and F5 (ESC [ 1 5 ~) would set
/// the activity.
enum EscapeSequence {
  static let escape: UInt8 = 0x1B

  /// Returns how many octets at the start of `octets` follow an Escape as the rest of its sequence; 0 if the Escape is the key Escape.
  ///
  /// - Parameter octets: what arrived together with the Escape, after it. A terminal sends a sequence at once. A player who types Escape
  ///   and then `[` sends two octets that arrive separately.
  static func length(after octets: ArraySlice<UInt8>) -> Int {
    guard let first = octets.first else { return 0 }
    switch first {
    case UInt8(ascii: "O"): return min(2, octets.count)
    case UInt8(ascii: "["):
      if octets.dropFirst().first == UInt8(ascii: "[") { return min(3, octets.count) }
      // Parameters and intermediate octets are 0x20...0x3F. One other octet ends the sequence.
      let parameters = octets.dropFirst().prefix { (0x20...0x3F).contains($0) }.count
      return min(1 + parameters + 1, octets.count)
    default: return 0
    }
  }
}

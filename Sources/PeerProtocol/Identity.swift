/// The identity of a peer: 64 random bits, created once and stored, so that the identity survives a restart.
public struct Identity: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let bits: UInt64

  public init(_ bits: UInt64) { self.bits = bits }

  /// Reads a ``description``, also with upper-case digits. Returns nil for any other text.
  ///
  /// Real-time: not safe.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 16, text.allSatisfy(\.isHexDigit), let bits = UInt64(text, radix: 16) else { return nil }
    self.bits = bits
  }

  /// Sixteen hexadecimal digits.
  ///
  /// Real-time: not safe.
  public var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  public static func < (a: Identity, b: Identity) -> Bool { a.bits < b.bits }
}

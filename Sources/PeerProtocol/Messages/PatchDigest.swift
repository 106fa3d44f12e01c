import Cryptography

/// The digest of the text of a patch: the first eight octets of its SHA-256 (FIPS 180-4), or 1 if they are all 0. Peers
/// compare patches by their digests.
///
/// Real-time: not safe.
public struct PatchDigest: Hashable, Sendable, CustomStringConvertible {
  public let bits: UInt64

  /// - Parameter bits: any number except 0. In a ``Presence``, 0 means that the sender does not share its patch.
  public init?(bits: UInt64) {
    guard bits != 0 else { return nil }
    self.bits = bits
  }

  /// Computes the digest of the octets of a patch. Real-time: not safe.
  public init(of octets: [UInt8]) {
    let bits = SHA256.hash(of: octets).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.bits = bits == 0 ? 1 : bits
  }

  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

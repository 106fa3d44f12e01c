import Cryptography

/// The digest of a document: the first sixteen octets of its SHA-256 (FIPS 180-4). Peers compare and request documents by their digests.
public struct DocumentDigest: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The first eight octets.
  public let high: UInt64
  /// The last eight octets.
  public let low: UInt64

  /// Returns nil if all octets are 0, which stands for no digest in messages.
  public init?(high: UInt64, low: UInt64) {
    guard high != 0 || low != 0 else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// Parses a ``description``; nil unless it consists of thirty-two hexadecimal digits in lower case. Real-time: not safe.
  public init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// Computes the digest of the octets of a document. Real-time: not safe.
  public init(of octets: [UInt8]) {
    func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
    let hash = SHA256.hash(of: octets)
    (high, low) = (number(hash[0..<8]), number(hash[8..<16]))
  }

  /// Whether two digests are equal. Real-time code may not call the generic operator of the standard library.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func areEqual(_ a: DocumentDigest?, _ b: DocumentDigest?) -> Bool {
    guard let a else {
      if case .none = b { return true }
      return false
    }
    guard let b else { return false }
    return a.high == b.high && a.low == b.low
  }

  /// Thirty-two hexadecimal digits.
  public var description: String {
    [high, low].map {
      let digits = String($0, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// The kind of a document that peers transfer.
public enum DocumentKind: UInt8, Sendable {
  /// The text of a patch, which describes a rhythm.
  case rhythm = 1
  /// The players of a peer: ``PlayerList``.
  case players = 2
  /// A score in its compact form.
  case score = 3
}

extension OctetWriter {
  /// Appends a digest, or sixteen octets 0 for nil.
  mutating func put(_ digest: DocumentDigest?) {
    put(digest?.high ?? 0)
    put(digest?.low ?? 0)
  }
}

extension OctetReader {
  /// Reads a digest; nil if all of its octets are 0.
  mutating func takeDigest() -> DocumentDigest? {
    DocumentDigest(high: take(UInt64.self), low: take(UInt64.self))
  }
}

import Cryptography

/// The key of a group with a passkey. All members compute the same key from the passkey (<doc:Passkey>).
///
/// Real-time: not safe.
public struct GroupKey: Sendable, CustomStringConvertible {
  /// 32 octets.
  let octets: [UInt8]

  /// - Parameter octets: 32 octets, the result of scrypt.
  ///
  /// Real-time: not safe.
  public init(_ octets: [UInt8]) { self.octets = octets }

  /// A text without the key, so that no message contains the key by mistake.
  public var description: String { "key of a group" }
}

extension GroupKey {
  /// Derives a key of 32 octets for a purpose other than sessions, for example for the access to the web page. The key of the group
  /// cannot be computed from the derived key. The derivation is HKDF-Expand with SHA-256 (RFC 5869, section 2.3).
  ///
  /// - Parameter purpose: the name of the purpose. Each purpose needs a different name.
  ///
  /// Real-time: not safe.
  public func derived(for purpose: String) -> [UInt8] {
    HKDF.expand(octets, info: Array(purpose.utf8))
  }
}

/// The key of the tags of one direction of a session: 128 bits, as two little-endian words.
public struct TagKey: Hashable, Sendable, BitwiseCopyable {
  let low: UInt64
  let high: UInt64

  public init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  /// - Parameter octets: at least 16 octets. The first 16 are used.
  init(_ octets: [UInt8]) {
    func word(at index: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(octets[index + $1]) << UInt64(8 * $1) }
    }
    self.init(low: word(at: 0), high: word(at: 8))
  }
}

/// The keys of a session with a passkey, one per direction.
public struct SessionKeys: Hashable, Sendable, BitwiseCopyable {
  /// The key of the tags that the local peer writes.
  public let sending: TagKey
  /// The key of the tags that the remote peer writes.
  public let receiving: TagKey

  public init(sending: TagKey, receiving: TagKey) { (self.sending, self.receiving) = (sending, receiving) }
}

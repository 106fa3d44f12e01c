import CSodium

/// The hash function SHA-256 (FIPS 180-4) for data that is available in parts.
///
/// Real-time: not safe.
public struct SHA256: Sendable {
  /// The length of a hash in octets.
  static let length = 32

  private var state = crypto_hash_sha256_state()

  /// Creates a hash without data.
  public init() { _ = crypto_hash_sha256_init(&state) }

  /// Appends the next part of the data.
  public mutating func update(_ octets: [UInt8]) {
    _ = crypto_hash_sha256_update(&state, octets, UInt64(octets.count))
  }

  /// Returns the hash of all data so far: 32 octets. More data can be appended afterwards.
  public func hash() -> [UInt8] {
    var state = state
    var hash = [UInt8](repeating: 0, count: Self.length)
    _ = crypto_hash_sha256_final(&state, &hash)
    return hash
  }

  /// Returns the hash of `octets`: 32 octets.
  public static func hash(of octets: [UInt8]) -> [UInt8] {
    var sha256 = SHA256()
    sha256.update(octets)
    return sha256.hash()
  }
}

import CSodium

/// The derivation of a key from a password with scrypt (RFC 7914). Each attempt to guess the password costs time and memory.
///
/// Real-time: not safe.
public enum Scrypt {
  /// Derives a key of 32 octets. The derivation needs about 128 * `cost` * `blockSize` octets of memory. Returns nil if libsodium
  /// cannot be initialized, if the memory cannot be allocated, or if a parameter is out of range.
  ///
  /// - Parameters:
  ///   - password: any number of octets.
  ///   - salt: any number of octets.
  ///   - cost: the CPU and memory cost N, a power of two from 2 to 2^31.
  ///   - blockSize: the parameter r, in units of 128 octets.
  ///   - parallelism: the parameter p. `blockSize` * `parallelism` must be less than 2^30.
  public static func key(
    from password: [UInt8], salt: [UInt8], cost: UInt64, blockSize: UInt32, parallelism: UInt32
  ) -> [UInt8]? {
    // Without this call, libsodium uses a slower implementation. `sodium_init` may be called any number of times.
    guard sodium_init() >= 0 else { return nil }
    var key = [UInt8](repeating: 0, count: 32)
    let result = crypto_pwhash_scryptsalsa208sha256_ll(
      password, password.count, salt, salt.count, cost, blockSize, parallelism, &key, key.count)
    return result == 0 ? key : nil
  }
}

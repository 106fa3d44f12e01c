import CSodium

/// The message authentication code HMAC-SHA-256 (RFC 2104). Only a peer with the key can compute the code of a message.
///
/// Real-time: not safe.
public enum HMAC {
  /// Returns the code of `octets`: 32 octets.
  ///
  /// - Parameter key: any number of octets.
  public static func code(of octets: [UInt8], key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: SHA256.length)
    _ = crypto_auth_hmacsha256_init(&state, key, key.count)
    _ = crypto_auth_hmacsha256_update(&state, octets, UInt64(octets.count))
    _ = crypto_auth_hmacsha256_final(&state, &code)
    return code
  }

  /// Whether `code` is the code of `octets`. The comparison takes the same time for every wrong code of 32 octets.
  public static func isValid(_ code: [UInt8], of octets: [UInt8], key: [UInt8]) -> Bool {
    let valid = Self.code(of: octets, key: key)
    return code.count == valid.count && sodium_memcmp(code, valid, valid.count) == 0
  }
}

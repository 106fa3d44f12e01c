/// The derivation of keys with HKDF-SHA-256 (RFC 5869).
///
/// HKDF first extracts a key of uniform bits from a secret, then expands it to keys for different purposes. A derived key
/// reveals neither the secret nor the other derived keys.
///
/// Real-time: not safe.
public enum HKDF {
  /// HKDF-Extract (RFC 5869, section 2.2). Returns a key of 32 octets.
  ///
  /// - Parameters:
  ///   - secret: any number of octets.
  ///   - salt: any number of octets. It need not be secret.
  public static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] { HMAC.code(of: secret, key: salt) }

  /// HKDF-Expand for 32 octets, which need only one HMAC (RFC 5869, section 2.3). Returns a key of 32 octets.
  ///
  /// - Parameters:
  ///   - key: a result of ``extract(_:salt:)``, or another key of 32 uniform octets.
  ///   - info: the purpose of the derived key. Each purpose needs different octets.
  public static func expand(_ key: [UInt8], info: [UInt8]) -> [UInt8] { HMAC.code(of: info + [1], key: key) }
}

import Crypto

extension GroupKey {
  /// Derives a key of 32 octets for a purpose other than sessions, for example the access to the web page: HKDF-Expand with SHA-256
  /// (RFC 5869, section 2.3).
  /// The key of the group cannot be computed from the result.
  ///
  /// - Parameter purpose: a text that no other use of the key has.
  ///
  /// Real-time: not safe.
  public func derived(for purpose: String) -> [UInt8] {
    HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array(purpose.utf8), outputByteCount: 32)
      .withUnsafeBytes { Array($0) }
  }
}

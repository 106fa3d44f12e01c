import Cryptography

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

public import Crypto

/// The key of a group with a passkey. All members compute the same key from the passkey (<doc:Passkey>).
public struct GroupKey: Sendable {
  let key: SymmetricKey

  /// - Parameter key: 32 octets, the result of scrypt.
  public init(_ key: SymmetricKey) { self.key = key }

  /// - Parameter octets: 32 octets.
  public init(_ octets: [UInt8]) { key = SymmetricKey(data: octets) }
}

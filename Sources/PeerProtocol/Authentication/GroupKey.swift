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

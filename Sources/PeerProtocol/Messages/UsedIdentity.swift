/// The message to a peer that another machine uses the same identity, for example because the disk of one machine was
/// copied from the other machine. The message goes to the machine that joined later, which should take a new identity.
public struct UsedIdentity: Hashable, Sendable {
  /// The identity that two machines use.
  public var identity: Identity

  public init(_ identity: Identity) { self.identity = identity }
}

/// A used identity as a System Exclusive message of 16 bytes with F0 and F7.
///
/// The data are 7D 54 03 04 (version 3, kind 4, see ``MessageKind``) and the eight octets of the identity, encoded by
/// ``SevenBit``. <doc:WireFormat> describes the message.
extension UsedIdentity {
  private static let length = 8

  /// The 14 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(identity.bits)
    return MessageKind.usedIdentity.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.usedIdentity.unwrap(bytes, atLeast: Self.length) else { return nil }
    self.init(Identity(octets.take(UInt64.self)))
  }
}

/// An offer as a System Exclusive message of 26 bytes with F0 and F7.
///
/// The data are 7D 54 03 03 (version 3, kind 3, see ``MessageKind``) and these 17 octets, encoded by ``SevenBit``.
/// Numbers are big-endian.
///
///     octet   length   field
///     0       8        the term of the claim, plus 2^63 if it is kept
///     8       8        the identity of the claim
///     16      1        1 if the master is about to leave, otherwise 0
extension Offer {
  private static let length = 17

  /// The 24 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(claim)
    octets.put(UInt8(isParting ? 1 : 0))
    return MessageKind.offer.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a term that is not in ``Claim/terms``.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.offer.unwrap(bytes, atLeast: Self.length), let claim = octets.takeClaim() else {
      return nil
    }
    self.claim = claim
    switch octets.take(UInt8.self) {
    case 0: isParting = false
    case 1: isParting = true
    default: return nil
    }
  }
}

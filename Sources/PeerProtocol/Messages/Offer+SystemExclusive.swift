/// An offer as a System Exclusive message of 21 bytes, between F0 and F7:
///
///     7D 54 01 03    version 1, kind 3: offer (``MessageKind``)
///     ...            13 octets in groups of seven, a byte with their top bits before each group; in them, big-endian:
///         4  term          8  identity          1  1: the master is about to leave, 0: it is not
extension Offer {
  private static let length = 13

  /// The 19 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(claim)
    octets.put(UInt8(isParting ? 1 : 0))
    return MessageKind.offer.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.offer.unwrap(bytes, length: Self.length) else { return nil }
    claim = octets.takeClaim()
    switch octets.take(UInt8.self) {
    case 0: isParting = false
    case 1: isParting = true
    default: return nil
    }
  }
}

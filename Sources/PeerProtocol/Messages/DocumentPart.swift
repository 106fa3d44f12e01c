/// A part of a document, to a peer that has requested it. All parts have ``maximumLength`` octets except the last one, which may have
/// fewer.
public struct DocumentPart: Hashable, Sendable {
  /// The maximum number of octets in a part. Its datagram fits into one Ethernet frame, with room for the headers.
  public static let maximumLength = 900
  /// The maximum number of parts of a document. ``Document/maximumLength`` octets have this number of parts.
  public static let maximumCount = 1166

  /// The ``DocumentKind``, as a number, because later releases have more kinds.
  public var kind: UInt8
  public var digest: DocumentDigest
  /// The number of this part, less than ``count``.
  public var index: UInt16
  /// The number of all parts, 1...``maximumCount``.
  public var count: UInt16
  /// ``maximumLength`` octets; in the last part, one or more.
  public var octets: [UInt8]

  public init(_ kind: DocumentKind, _ digest: DocumentDigest, index: UInt16, of count: UInt16, octets: [UInt8]) {
    (self.kind, self.digest, self.index, self.count, self.octets) = (kind.rawValue, digest, index, count, octets)
  }
}

/// A part of a document as a System Exclusive message of at most 1059 bytes with F0 and F7.
///
/// The data are 7D 54 03 06 (version 3, kind 6, see ``MessageKind``) and these octets, encoded by ``SevenBit``. Numbers are
/// big-endian.
///
///     octet   length     field
///     0       1          the kind of the document
///     1       16         the digest of the document
///     17      2          the number of the part
///     19      2          the number of all parts
///     21      1...900    the octets
extension DocumentPart {
  private static let headerLength = 21

  /// The data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.headerLength + self.octets.count)
    octets.put(kind)
    octets.put(digest)
    octets.put(index)
    octets.put(count)
    for octet in self.octets { octets.put(octet) }
    return MessageKind.documentPart.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a part with an impossible number or length.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    let lengths = Self.headerLength + 1...Self.headerLength + Self.maximumLength
    guard var octets = MessageKind.documentPart.unwrap(bytes, lengths: lengths) else { return nil }
    kind = octets.take(UInt8.self)
    let digest = octets.takeDigest()
    (index, count) = (octets.take(UInt16.self), octets.take(UInt16.self))
    self.octets = octets.takeAll()
    guard let digest, count <= Self.maximumCount, index < count,
      index == count - 1 || self.octets.count == Self.maximumLength
    else { return nil }
    self.digest = digest
  }
}

/// A request for parts of a document, to a peer that has the document: see ``DocumentPart``.
public struct DocumentRequest: Hashable, Sendable {
  /// The ``DocumentKind``, as a number, because later releases have more kinds.
  public var kind: UInt8
  public var digest: DocumentDigest
  /// The number of the first part that the sender of the request lacks, less than ``DocumentPart/maximumCount``. The receiver sends this
  /// part and up to fifteen parts that follow it.
  public var first: UInt16

  public init(_ kind: DocumentKind, _ digest: DocumentDigest, from first: UInt16) {
    (self.kind, self.digest, self.first) = (kind.rawValue, digest, first)
  }
}

/// A document request as a System Exclusive message of 28 bytes with F0 and F7.
///
/// The data are 7D 54 03 05 (version 3, kind 5, see ``MessageKind``), one octet of the kind of the document, the sixteen octets of the
/// digest and two octets of the number of the first part, encoded by ``SevenBit``. <doc:WireFormat> describes the message.
extension DocumentRequest {
  private static let length = 19

  /// The 26 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(kind)
    octets.put(digest)
    octets.put(first)
    return MessageKind.documentRequest.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a number that no part has.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.documentRequest.unwrap(bytes, atLeast: Self.length) else { return nil }
    kind = octets.take(UInt8.self)
    let digest = octets.takeDigest()
    first = octets.take(UInt16.self)
    guard let digest, first < DocumentPart.maximumCount else { return nil }
    self.digest = digest
  }
}

/// A follower's request for parts of the patch that the master plays: see ``PatchPart``.
public struct PatchRequest: Hashable, Sendable {
  /// The patch.
  public var digest: PatchDigest
  /// The number of the first part that the follower lacks, 0...511. The master sends this part and up to 15 parts that
  /// follow it.
  public var first: UInt16

  public init(_ digest: PatchDigest, from first: UInt16) { (self.digest, self.first) = (digest, first) }
}

/// A patch request as a System Exclusive message of 18 bytes with F0 and F7.
///
/// The data are 7D 54 03 05 (version 3, kind 5, see ``MessageKind``), the eight octets of the digest and two octets of the number
/// of the first part, encoded by ``SevenBit``. <doc:WireFormat> describes the message.
extension PatchRequest {
  private static let length = 10

  /// The 16 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(digest.bits)
    octets.put(first)
    return MessageKind.patchRequest.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a number that no part has.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.patchRequest.unwrap(bytes, atLeast: Self.length),
      let digest = PatchDigest(bits: octets.take(UInt64.self))
    else { return nil }
    let first = octets.take(UInt16.self)
    guard first < PatchPart.maximumCount else { return nil }
    self.init(digest, from: first)
  }
}

/// A part of the text of a patch, from the master to a follower that has requested it. All parts have ``maximumLength`` octets
/// except the last one, which may have fewer.
public struct PatchPart: Hashable, Sendable {
  /// The maximum number of octets in a part. The message with a part is therefore shorter than a timeline message, the longest message
  /// for which senders have room.
  public static let maximumLength = 64
  /// The maximum number of parts: a patch has at most 32 KiB.
  public static let maximumCount = 512

  /// The patch.
  public var digest: PatchDigest
  /// The number of this part, less than ``count``.
  public var index: UInt16
  /// The number of all parts, 1...512.
  public var count: UInt16
  /// 64 octets; in the last part, 1 to 64.
  public var octets: [UInt8]

  public init(_ digest: PatchDigest, index: UInt16, of count: UInt16, octets: [UInt8]) {
    (self.digest, self.index, self.count, self.octets) = (digest, index, count, octets)
  }
}

/// A part of a patch as a System Exclusive message of at most 93 bytes with F0 and F7.
///
/// The data are 7D 54 03 06 (version 3, kind 6, see ``MessageKind``) and these octets, encoded by ``SevenBit``. Numbers are
/// big-endian.
///
///     octet   length    field
///     0       8         the digest of the patch
///     8       2         the number of the part
///     10      2         the number of all parts
///     12      1...64    the octets
extension PatchPart {
  private static let headerLength = 12

  /// The data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.headerLength + self.octets.count)
    octets.put(digest.bits)
    octets.put(index)
    octets.put(count)
    for octet in self.octets { octets.put(octet) }
    return MessageKind.patchPart.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a part with an impossible number or length.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    let lengths = Self.headerLength + 1...Self.headerLength + Self.maximumLength
    guard var octets = MessageKind.patchPart.unwrap(bytes, lengths: lengths),
      let digest = PatchDigest(bits: octets.take(UInt64.self))
    else { return nil }
    let (index, count) = (octets.take(UInt16.self), octets.take(UInt16.self))
    let rest = octets.takeAll()
    guard count <= Self.maximumCount, index < count, index == count - 1 || rest.count == Self.maximumLength else {
      return nil
    }
    self.init(digest, index: index, of: count, octets: rest)
  }
}

public import PeerProtocol

/// The text of a patch, which describes a rhythm, as peers transfer it.
public struct SharedPatch: Hashable, Sendable {
  /// The largest number of octets: 32 KiB.
  public static let maximumLength = PatchPart.maximumCount * PatchPart.maximumLength

  public let digest: PatchDigest
  /// The text in UTF-8, at least one octet. The octets of a received patch can be invalid UTF-8 or an invalid patch.
  public let octets: [UInt8]

  /// Creates the patch from the octets of its text. Returns nil if the text is empty or longer than ``maximumLength``.
  ///
  /// Real-time: not safe.
  public init?(_ octets: [UInt8]) {
    guard !octets.isEmpty, octets.count <= Self.maximumLength else { return nil }
    (digest, self.octets) = (PatchDigest(of: octets), octets)
  }

  /// The number of parts.
  var partCount: Int { (octets.count + PatchPart.maximumLength - 1) / PatchPart.maximumLength }

  /// The part with this number, which is less than ``partCount``.
  func part(_ index: Int) -> PatchPart {
    let start = index * PatchPart.maximumLength
    let part = octets[start..<min(start + PatchPart.maximumLength, octets.count)]
    return PatchPart(digest, index: UInt16(index), of: UInt16(partCount), octets: Array(part))
  }
}

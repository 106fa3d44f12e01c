/// A System Exclusive, or a segment of one, in a command list (RFC 6295 section 3.2, figure 5). The first and the last
/// octet identify the segment: F0...F7 is a complete command, F0...F0 the first segment, F7...F0 a middle segment, and
/// F7...F7 the last one; F7 F4 cancels the command.
public struct SystemExclusiveSegment: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case whole, first, middle, last, cancel }

  public let kind: Kind
  /// The data octets, without the octets at both ends.
  public let data: Extent

  @_noLocks @_noAllocation
  init(kind: Kind, data: Extent) { (self.kind, self.data) = (kind, data) }
}

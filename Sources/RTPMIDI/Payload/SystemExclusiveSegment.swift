/// A System Exclusive, or a piece of one, as a command list holds it (RFC 6295 section 3.2, figure 5). The first and
/// the last octet tell which: F0...F7 is whole, F0...F0 the first piece, F7...F0 a middle one, F7...F7 the last; F7 F4
/// takes it all back.
public struct SystemExclusiveSegment: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case whole, first, middle, last, cancel }

  public let kind: Kind
  /// Where its data octets lie, the two at its ends not counted.
  public let data: Extent

  @_noLocks @_noAllocation
  init(kind: Kind, data: Extent) { (self.kind, self.data) = (kind, data) }
}

/// A range of octets in a packet, by their offsets. (The standard library's `Range` is not `BitwiseCopyable`.)
public struct Extent: Hashable, Sendable, BitwiseCopyable {
  /// The first octet.
  public let start: Int
  /// One past the last octet; not less than `start`.
  public let end: Int

  @_noLocks @_noAllocation
  init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

  /// The number of octets.
  ///
  /// Real-time: safe.
  public var count: Int { @_noLocks @_noAllocation get { end - start } }
}

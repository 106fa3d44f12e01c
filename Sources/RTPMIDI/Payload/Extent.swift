/// A stretch of a packet's octets. (The standard library's `Range` is not `BitwiseCopyable`.)
public struct Extent: Hashable, Sendable, BitwiseCopyable {
  public let start: Int
  /// One past the last octet, never before `start`.
  public let end: Int

  @_noLocks @_noAllocation
  init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

  /// Real-time: safe.
  public var count: Int { @_noLocks @_noAllocation get { end - start } }
}

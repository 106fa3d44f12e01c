/// The identifier of one session of an ``Endpoint``, from its first invitation on. An endpoint never reuses an
/// identifier.
public struct SessionID: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt64

  /// Real-time: safe.
  @_noLocks @_noAllocation
  package init(number: UInt64) { self.number = number }
}

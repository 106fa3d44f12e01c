/// A moment, in nanoseconds of one clock from that clock's own origin. Inside a peer the clock is CLOCK_MONOTONIC.
///
/// Instants of two peers have different origins: they compare only after one has been mapped into the other's clock.
/// Arithmetic wraps rather than traps (an Int64 of nanoseconds lasts 292 years): a hostile stamp must not stop the
/// music.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// The moment `nanoseconds` after the clock's origin.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Later than anything that will happen.
  ///
  /// Real-time: safe.
  @inlinable
  public static var distantFuture: Instant { @_noLocks @_noAllocation get { Instant(nanoseconds: .max) } }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: Instant, b: Instant) -> Bool { a.nanoseconds <= b.nanoseconds }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: Instant, b: Instant) -> Bool { a.nanoseconds > b.nanoseconds }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: Instant, b: Instant) -> Bool { a.nanoseconds >= b.nanoseconds }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: Instant, b: Instant) -> Bool { a.nanoseconds == b.nanoseconds }
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (instant: Instant, length: Nanoseconds) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &+ length.count)
  }
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (instant: Instant, length: Nanoseconds) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &- length.count)
  }
  /// The length from `b` to `a`. Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Instant, b: Instant) -> Nanoseconds { Nanoseconds(a.nanoseconds &- b.nanoseconds) }
}

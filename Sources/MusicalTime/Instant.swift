/// A point in time, in nanoseconds since the origin of a clock. Inside a peer the clock is CLOCK_MONOTONIC.
///
/// The clocks of two peers have different origins. Their instants can be compared only after one is converted to the
/// clock of the other. Arithmetic wraps on overflow (Int64 nanoseconds reach 292 years in each direction). It does not
/// trap, so that a hostile time stamp cannot end the program.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// Creates the instant `nanoseconds` after the clock's origin.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The latest instant, used as "never".
  ///
  /// Real-time: safe.
  @inlinable
  public static var distantFuture: Instant { @_noLocks @_noAllocation get { Instant(nanoseconds: .max) } }

  // All comparison operators are written out, because real-time code may not call the generic ones of the standard
  // library.
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
  /// The instant `length` after `instant`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (instant: Instant, length: Nanoseconds) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &+ length.count)
  }
  /// The instant `length` before `instant`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (instant: Instant, length: Nanoseconds) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &- length.count)
  }
  /// The duration from `b` to `a`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Instant, b: Instant) -> Nanoseconds { Nanoseconds(a.nanoseconds &- b.nanoseconds) }
}

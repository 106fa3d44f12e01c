/// A length of time in nanoseconds. The point in time is ``Instant``: the two are different types, so that a delay
/// cannot be taken for a moment.
public struct Nanoseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The length in nanoseconds; negative when it reaches back.
  public var count: Int64

  /// A length of `count` nanoseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ count: Int64) { self.count = count }

  /// A length of `count` microseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000) }

  /// A length of `count` milliseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000_000) }

  /// A length of `count` seconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000_000_000) }

  /// No time at all.
  ///
  /// Real-time: safe.
  @inlinable
  public static var zero: Nanoseconds { @_noLocks @_noAllocation get { Nanoseconds(0) } }

  /// The length in seconds, for people to read.
  public var seconds: Double { Double(count) / 1e9 }
  /// The length in milliseconds, for people to read.
  public var milliseconds: Double { Double(count) / 1e6 }
  /// The length in microseconds, for people to read.
  public var microseconds: Double { Double(count) / 1e3 }

  /// The same length without its sign.
  ///
  /// Real-time: safe.
  @inlinable
  public var magnitude: Nanoseconds {
    @_noLocks @_noAllocation get { Nanoseconds(count < 0 ? 0 &- count : count) }
  }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count < b.count }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count <= b.count }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count > b.count }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count >= b.count }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count == b.count }
  @inlinable @_noLocks @_noAllocation
  public static func + (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count &+ b.count) }
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count &- b.count) }
  @inlinable @_noLocks @_noAllocation
  public static prefix func - (a: Nanoseconds) -> Nanoseconds { Nanoseconds(0 &- a.count) }
}

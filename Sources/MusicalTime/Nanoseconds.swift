/// A duration in nanoseconds. A point in time is an ``Instant``. The compiler rejects one type in place of the other.
public struct Nanoseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number of nanoseconds; negative for a duration into the past.
  public var count: Int64

  /// Creates a duration of `count` nanoseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ count: Int64) { self.count = count }

  /// A duration of `count` microseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000) }

  /// A duration of `count` milliseconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000_000) }

  /// A duration of `count` seconds.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count &* 1_000_000_000) }

  /// The duration 0.
  ///
  /// Real-time: safe.
  @inlinable
  public static var zero: Nanoseconds { @_noLocks @_noAllocation get { Nanoseconds(0) } }

  /// The duration in seconds, for display.
  ///
  /// Real-time: not safe.
  public var seconds: Double { Double(count) / 1e9 }
  /// The duration in milliseconds, for display.
  ///
  /// Real-time: not safe.
  public var milliseconds: Double { Double(count) / 1e6 }
  /// The duration in microseconds, for display.
  ///
  /// Real-time: not safe.
  public var microseconds: Double { Double(count) / 1e3 }

  /// The absolute value of the duration.
  ///
  /// Real-time: safe.
  @inlinable
  public var magnitude: Nanoseconds {
    @_noLocks @_noAllocation get { Nanoseconds(count < 0 ? 0 &- count : count) }
  }

  // All comparison operators are written out, because real-time code may not call the generic ones of the standard
  // library.
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
  // The arithmetic operators wrap on overflow.
  @inlinable @_noLocks @_noAllocation
  public static func + (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count &+ b.count) }
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count &- b.count) }
  @inlinable @_noLocks @_noAllocation
  public static prefix func - (a: Nanoseconds) -> Nanoseconds { Nanoseconds(0 &- a.count) }
}

extension Nanoseconds: Encodable {
  /// Encodes the number of nanoseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(count)
  }
}

public import MusicalTime

/// A position on a timeline in thousandths of a tick, counted from tick 0. The positions of hits (``Hit/position``) have the
/// same unit. At 120 beats per minute, the unit lasts 20.8 µs.
public struct MusicalPosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Units per tick: 1000.
  ///
  /// Real-time: safe.
  public static var perTick: Int64 { @_noLocks @_noAllocation get { 1_000 } }

  /// The number of thousandths of a tick from tick 0; negative before tick 0.
  public var milliticks: Int64

  /// Creates the position `milliticks` thousandths of a tick after tick 0.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(milliticks: Int64) { self.milliticks = milliticks }

  /// Creates the position of `tick`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ tick: Tick) { milliticks = tick.index &* 1_000 }

  /// Creates the position of `instant` on `timeline`, rounded down. If `instant` is the deadline of a tick, the result is exactly
  /// this tick. Wraps on overflow.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(at instant: Instant, on timeline: Timeline) {
    let length = instant.nanoseconds.subtractingReportingOverflow(timeline.originInstant.nanoseconds)
    let distance = length.overflow ? (instant > timeline.originInstant ? Int64.max : Int64.min) : length.partialValue
    // Position m, counted from the origin in thousandths of a tick, is due floor(m * q / 24000) nanoseconds after the origin. q is the
    // length of a quarter note in nanoseconds. The result is the largest m that is due at or before the distance d from the origin. This
    // is the largest m less than 24000 * (d + 1) / q, as in `Timeline.tick(at:)`. The quotient fits into Int64, because q is at least
    // 60 000 000. The division truncates towards zero: if the rest is 0 or negative, the largest m is one less than the quotient.
    let product = (distance == .max ? distance : distance &+ 1).multipliedFullWidth(by: 24_000)
    var (count, rest) = timeline.tempo.nanosecondsPerQuarter.dividingFullWidth(product)
    if rest <= 0 { count &-= 1 }
    milliticks = timeline.originTick.index &* 1_000 &+ count
  }

  /// The tick that contains the position.
  ///
  /// Real-time: safe.
  public var tick: Tick {
    @_noLocks @_noAllocation get {
      let (tick, rest) = milliticks.quotientAndRemainder(dividingBy: 1_000)
      return Tick(rest < 0 ? tick &- 1 : tick)
    }
  }

  /// The distance of the position from ``tick`` in thousandths of a tick, 0...999.
  ///
  /// Real-time: safe.
  public var offset: Int32 {
    @_noLocks @_noAllocation get { Int32(truncatingIfNeeded: milliticks &- tick.index &* 1_000) }
  }

  // All comparison operators are written out, because real-time code must not call the generic operators of the standard
  // library.
  @_noLocks @_noAllocation
  public static func < (a: Self, b: Self) -> Bool { a.milliticks < b.milliticks }
  @_noLocks @_noAllocation
  public static func <= (a: Self, b: Self) -> Bool { a.milliticks <= b.milliticks }
  @_noLocks @_noAllocation
  public static func > (a: Self, b: Self) -> Bool { a.milliticks > b.milliticks }
  @_noLocks @_noAllocation
  public static func >= (a: Self, b: Self) -> Bool { a.milliticks >= b.milliticks }
  @_noLocks @_noAllocation
  public static func == (a: Self, b: Self) -> Bool { a.milliticks == b.milliticks }
  /// The position `milliticks` thousandths of a tick after `position`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func + (position: Self, milliticks: Int64) -> Self {
    Self(milliticks: position.milliticks &+ milliticks)
  }
  /// The distance from `b` to `a` in thousandths of a tick. Wraps on overflow.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func - (a: Self, b: Self) -> Int64 { a.milliticks &- b.milliticks }
}

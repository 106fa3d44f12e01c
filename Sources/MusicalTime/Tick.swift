/// A position in ticks. One tick is 1/24 of a quarter note, one MIDI Timing Clock (F8). Tick 0 is the downbeat at the
/// start of the rhythm.
public struct Tick: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Ticks per quarter note: 24 (MIDI 1.0, "Timing Clock").
  ///
  /// Real-time: safe.
  public static var perQuarter: Int64 { @_noLocks @_noAllocation get { 24 } }
  /// Ticks per step: 6. A step is 1/4 of a quarter note, which is also the unit of MIDI Song Position.
  ///
  /// Real-time: safe.
  public static var perStep: Int64 { @_noLocks @_noAllocation get { 6 } }

  /// The number of ticks from tick 0 to this tick; negative before tick 0.
  public var index: Int64

  /// Creates the tick with number `index`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ index: Int64) { self.index = index }

  /// The first tick of `step`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(of step: Step) { self.index = step.index &* 6 }

  /// The step whose first tick is this tick, or nil if this tick is not the first of its step.
  ///
  /// Real-time: safe.
  public var beginsStep: Step? {
    @_noLocks @_noAllocation get { index % 6 == 0 ? Step(index / 6) : nil }
  }

  /// This tick if it is the first of a step, otherwise the first tick of the next step.
  ///
  /// Real-time: safe.
  public var roundedUpToStep: Tick {
    @_noLocks @_noAllocation get { Tick(of: Tick(index &+ 5).step) }
  }

  /// The step that contains this tick.
  ///
  /// Real-time: safe.
  public var step: Step {
    // Rounded down for negative ticks too: tick -1 is in step -1.
    @_noLocks @_noAllocation get { Step(index >= 0 ? index / 6 : (index - 5) / 6) }
  }

  // All comparison operators are written out, because real-time code may not call the generic ones of the standard
  // library.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: Tick, b: Tick) -> Bool { a.index < b.index }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: Tick, b: Tick) -> Bool { a.index <= b.index }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: Tick, b: Tick) -> Bool { a.index > b.index }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: Tick, b: Tick) -> Bool { a.index >= b.index }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: Tick, b: Tick) -> Bool { a.index == b.index }
  /// The tick `count` ticks after `tick`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (tick: Tick, count: Int64) -> Tick { Tick(tick.index &+ count) }
  /// The number of ticks from `b` to `a`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Tick, b: Tick) -> Int64 { a.index &- b.index }
}

/// One MIDI Timing Clock (F8), 1/24 of a quarter note, counted from the start of the piece: tick 0 is the downbeat.
public struct Tick: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Ticks a quarter note (MIDI 1.0, "Timing Clock").
  public static var perQuarter: Int64 { @_noLocks @_noAllocation get { 24 } }
  /// Ticks a step: a step is a quarter of a quarter note, and also the unit of MIDI Song Position.
  public static var perStep: Int64 { @_noLocks @_noAllocation get { 6 } }

  public var index: Int64

  /// Tick number `index`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ index: Int64) { self.index = index }

  /// The first tick of `step`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(of step: Step) { self.index = step.index &* 6 }

  /// The step this tick begins, or nil inside a step.
  ///
  /// Real-time: safe.
  public var beginsStep: Step? {
    @_noLocks @_noAllocation get { index % 6 == 0 ? Step(index / 6) : nil }
  }

  /// This tick if it begins a step, or else the next that does.
  ///
  /// Real-time: safe.
  public var roundedUpToStep: Tick {
    @_noLocks @_noAllocation get { Tick(of: Tick(index &+ 5).step) }
  }

  /// The step this tick lies in.
  ///
  /// Real-time: safe.
  public var step: Step {
    @_noLocks @_noAllocation get { Step(index >= 0 ? index / 6 : (index - 5) / 6) }
  }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
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
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (tick: Tick, count: Int64) -> Tick { Tick(tick.index &+ count) }
  /// The ticks from `b` to `a`. Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func - (a: Tick, b: Tick) -> Int64 { a.index &- b.index }
}

/// One step of the drum sequencer: a quarter of a quarter note, six ticks. Step 0 is the downbeat.
public struct Step: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Steps a quarter note.
  public static var perQuarter: Int64 { @_noLocks @_noAllocation get { 4 } }

  public var index: Int64

  /// Step number `index`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ index: Int64) { self.index = index }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: Step, b: Step) -> Bool { a.index < b.index }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: Step, b: Step) -> Bool { a.index <= b.index }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: Step, b: Step) -> Bool { a.index > b.index }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: Step, b: Step) -> Bool { a.index >= b.index }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: Step, b: Step) -> Bool { a.index == b.index }
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (step: Step, count: Int64) -> Step { Step(step.index &+ count) }
}

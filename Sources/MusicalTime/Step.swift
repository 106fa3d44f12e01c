/// A position in steps of the drum sequencer. One step is 1/4 of a quarter note, or six ticks. Step 0
/// is the downbeat at the start of the rhythm.
public struct Step: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Steps per quarter note: 4.
  ///
  /// Real-time: safe.
  public static var perQuarter: Int64 { @_noLocks @_noAllocation get { 4 } }

  /// The number of steps from step 0 to this step; negative before step 0.
  public var index: Int64

  /// Creates the step with number `index`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(_ index: Int64) { self.index = index }

  // All comparison operators are written out, because real-time code may not call the generic ones of the standard
  // library.
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
  /// The step `count` steps after `step`. Wraps on overflow.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func + (step: Step, count: Int64) -> Step { Step(step.index &+ count) }
}

import MusicalTime

/// A position in the hits of one step, see ``StepTable/next(_:)``.
public struct HitCursor: Sendable, BitwiseCopyable {
  /// The bar that contains the step, counted from the first downbeat.
  let bar: Int64
  /// The first tick of the step, counted from the start of the bar.
  let tick: Int
  /// The total activity, 0...127.
  let activity: UInt8
  /// The next line.
  var line = 0
  /// The next tick of this line, counted from the first tick of the step: 0..<6.
  var offset = 0
  /// The next note of this tick of a pitched line.
  var note = 0
  /// The main note of a flam whose grace note was returned.
  var main: Hit?

  @_noLocks @_noAllocation
  init(bar: Int64, tick: Int, activity: UInt8) { (self.bar, self.tick, self.activity) = (bar, tick, activity) }
}

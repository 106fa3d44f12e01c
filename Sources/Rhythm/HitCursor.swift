import MusicalTime

/// A position within the hits of one step, from which ``StepTable/next(_:)`` continues.
public struct HitCursor: Sendable, BitwiseCopyable {
  /// The bar that contains the step, counted from the first downbeat.
  let bar: Int64
  /// The first tick of the step, counted from the start of the bar.
  let tick: Int
  /// The total activity of all players, 0...127.
  let activity: UInt8
  /// Whether the fill sounds in this bar, whatever the activity and the position of the bar are.
  let playsFill: Bool
  /// The index of the line that is examined next.
  var line = 0
  /// The tick of this line that is examined next, counted from the first tick of the step: 0..<6.
  var offset = 0
  /// The index of the note that is examined next, if the line belongs to a pitched part and plays several notes at this tick.
  var note = 0
  /// The main note of a flam if its grace note was returned last. It is the next hit.
  var main: Hit?

  @_noLocks @_noAllocation
  init(bar: Int64, tick: Int, activity: UInt8, playsFill: Bool) {
    (self.bar, self.tick, self.activity, self.playsFill) = (bar, tick, activity, playsFill)
  }
}

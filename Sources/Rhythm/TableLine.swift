import MusicalTime

/// A ``Line`` in a ``StepTable``, with the properties of its voice.
struct TableLine: Sendable, BitwiseCopyable {
  /// Note number, 0...127. It identifies the voice.
  var note: UInt8 = 0
  /// The cut-off group, 0 for none.
  var group: UInt8 = 0
  /// The least and the greatest total activity at which the line sounds.
  var from: UInt8 = 0
  var to: UInt8 = 0
  /// The chance of a stroke at `from` and at `to`, in percent.
  var leastChance: UInt8 = 100
  var greatestChance: UInt8 = 100
  /// Whether the line replaces the earlier lines of the same voice.
  var replaces = false
  /// Whether the line is part of the fill.
  var isFill = false
  /// The loudness in percent.
  var level: UInt8 = 100
  /// The number of bars, 1...8.
  var bars: UInt8 = 1
  /// The number of strokes and rests per bar, 1...192.
  var strokesPerBar: UInt8 = 1
  /// The distance of strokes in ticks: 6, 8 or 4.
  var ticksPerStroke: UInt8 = 6
  /// The index of the first stroke in the table.
  var firstStroke: UInt16 = 0
  /// How much later than the grid the voice sounds.
  var feel: Nanoseconds = .zero

  @_noLocks @_noAllocation
  init() {}

  /// The value at `activity` of a quantity that is `least` at ``from`` and `greatest` at ``to``, linear in between. It is
  /// `greatest` if both are equal.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func interpolated(from least: Int, to greatest: Int, at activity: UInt8) -> Int {
    guard from < to else { return greatest }
    return least + (greatest - least) * Int(activity - from) / Int(to - from)
  }
}

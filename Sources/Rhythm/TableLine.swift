import MusicalTime

/// A ``Line`` or a ``PartLine`` in a ``StepTable``, with the properties of its voice.
struct TableLine: Sendable, BitwiseCopyable, Encodable {
  /// The voice: the note number of a drum, 0...127, or 128 or more for a tone of a pitched part, see ``voice(of:_:)``. Of several
  /// strokes of one voice at one tick, only the loudest sounds. A line with ``replaces`` silences the earlier lines of its voice.
  var voice: UInt8 = 0
  /// The cut-off group, 0 for none. A stroke stops all sounding notes of its group.
  var group: UInt8 = 0
  /// The least total activity, of all players together, at which the line sounds.
  var from: UInt8 = 0
  /// The greatest total activity at which the line sounds.
  var to: UInt8 = 0
  /// The chance of a stroke at the total activity ``from``, in percent.
  var lowActivityChance: UInt8 = 100
  /// The chance of a stroke at the total activity ``to``, in percent.
  var highActivityChance: UInt8 = 100
  /// Whether the line replaces the earlier lines of the same voice.
  var replaces = false
  /// Whether the line is part of the fill (``Fill``).
  var isFill = false
  /// The loudness in percent.
  var level: UInt8 = 100
  /// The number of bars, 1...8.
  var bars: UInt8 = 1
  /// The number of strokes and rests per bar, 1...192.
  var strokesPerBar: UInt8 = 1
  /// The distance between two strokes in ticks: 6, or 8 or 4 for triplets.
  var ticksPerStroke: UInt8 = 6
  /// The index of the first stroke in the table.
  var firstStroke: UInt16 = 0
  /// How much later than the grid the voice sounds; negative if earlier.
  var feel: Nanoseconds = .zero

  @_noLocks @_noAllocation
  init() {}

  /// Creates a line without a group, which is not part of the fill.
  init<Voice, Stroke>(
    _ line: PatternLine<Voice, Stroke>, voice: UInt8, level: Int, feel: Nanoseconds, firstStroke: Int
  ) {
    (self.voice, self.level, self.feel) = (voice, UInt8(level), feel)
    (from, to, replaces) = (line.activity.lowerBound, line.activity.upperBound, line.replaces)
    (lowActivityChance, highActivityChance) = (UInt8(line.lowActivityChance), UInt8(line.highActivityChance))
    (bars, strokesPerBar) = (UInt8(line.bars.count), UInt8(line.bars[0].count))
    ticksPerStroke = UInt8(Int(Tick.perQuarter) / line.strokesPerQuarter)
    self.firstStroke = UInt16(firstStroke)
  }

  /// The voice of a tone of a pitched part.
  static func voice(of part: Part, _ tone: PartTone) -> UInt8 { 128 | part.rawValue << 4 | tone.rawValue }

  /// ``Part/number`` of the pitched part, 1...3.
  var part: UInt8 { @_noLocks @_noAllocation get { (voice & 0x7F) >> 4 } }
  /// The raw value of the tone of a pitched part (``PartTone``).
  var tone: UInt8 { @_noLocks @_noAllocation get { voice & 0xF } }

  /// The value at `activity` of a quantity that changes linearly from `first` at the activity ``from`` to `last` at the activity ``to``.
  /// If both activities are equal, the value is `last`. Below ``from``, where only a fill that a player wants sounds, the value is `first`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func interpolated(from first: Int, to last: Int, at activity: UInt8) -> Int {
    guard from < to else { return last }
    guard activity > from else { return first }
    return first + (last - first) * Int(activity - from) / Int(to - from)
  }
}

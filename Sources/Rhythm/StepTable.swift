public import MusicalTime

/// A patch in the form that the real-time thread plays: all lines in one trivial value of fixed size (about 9 KB).
///
/// The value contains no references, so it can be passed through a triple buffer. The clock thread asks for the hits of
/// each step:
///
///     var cursor = table.cursor(at: step, activity: activity)
///     while let hit = table.next(&cursor) { strike(hit) }
///
/// The hits depend only on the step, the activity and the table. Therefore peers with different histories play the same
/// hits.
public struct StepTable: Sendable, BitwiseCopyable {
  /// The largest number of lines of drums.
  ///
  /// Real-time: safe.
  public static var maximumLines: Int { @_noLocks @_noAllocation get { 64 } }
  /// The largest number of strokes and rests of all lines together.
  ///
  /// Real-time: safe.
  public static var maximumStrokes: Int { @_noLocks @_noAllocation get { 4096 } }
  /// How long before the main note of a flam its grace note sounds.
  ///
  /// Real-time: safe.
  public static var graceTime: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(25) } }

  /// The length of the pattern in steps: without chances and fills, the hits repeat after this number of steps.
  ///
  /// Real-time: safe.
  public var stepCount: Int { @_noLocks @_noAllocation get { Int(bars) * Int(barSteps) } }
  /// The length of a bar in steps. Late joiners start at the beginning of a bar.
  ///
  /// Real-time: safe.
  public var stepsPerBar: Int { @_noLocks @_noAllocation get { Int(barSteps) } }
  /// How much earlier than its step a hit can sound: the largest push of any line, including the grace time of lines
  /// with flams. Steps must be passed to the audio output this much earlier.
  ///
  /// Real-time: safe.
  public internal(set) var maximumPush: Nanoseconds = .zero

  /// The chords, which repeat from the first downbeat.
  ///
  /// Real-time: safe.
  public internal(set) var chords = ChordProgression()

  /// The lines of the drums, in the order of ``Patch/lines``, and then those of the pitched parts, in the order of
  /// ``Patch/parts``. There is room for ``maximumLines`` lines of drums and ``PitchedPart/maximumLines`` lines of each of three parts.
  var lines: InlineArray<112, TableLine>
  var lineCount = 0
  /// The number of lines of the drums.
  var drumLineCount = 0
  /// The notes of each pitched part for each chord: 48 elements for the bass, then 48 for the guitar and 48 for the keys.
  var partKeys: InlineArray<144, PartKeys>
  /// The General MIDI program of each part. The index is ``Part/number``.
  var programs = InlineArray<4, UInt8>(repeating: 0)
  /// The codes of the strokes of all lines (``Stroke``, ``PartStep``); 0 for a rest.
  var strokes: InlineArray<4096, UInt8>
  /// The length of a bar in steps, 1...128.
  var barSteps: UInt8 = 1
  /// The length of the pattern in bars.
  var bars: UInt8 = 1
  /// The delay by swing of each of the four steps of a quarter note, in thousandths of a tick.
  var swing = InlineArray<4, Int32>(repeating: 0)
  /// ``Patch/swell``.
  var swell: UInt8 = 0
  var seed: UInt32 = 0
  /// ``Fill/period``; 0 without a fill.
  var fillPeriod: UInt8 = 0
  /// ``Fill/chance``.
  var fillChance: UInt8 = 0

  /// The General MIDI programs of the pitched parts, 0...127; 0 for a missing part.
  ///
  /// Real-time: not safe.
  public var partPrograms: Set<UInt8> { Set((1..<4).map { programs[$0] }) }

  /// Creates a table with one step and no hits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {
    lines = InlineArray(repeating: TableLine())
    partKeys = InlineArray(repeating: PartKeys())
    strokes = InlineArray(repeating: 0)
  }
}

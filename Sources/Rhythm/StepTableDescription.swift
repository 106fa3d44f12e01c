/// The contents of a ``StepTable``, encoded as JSON for other programs, such as the web page. The JSON keys are the names of the
/// properties.
///
/// Real-time: not safe.
public struct StepTableDescription: Encodable, Sendable {
  /// A line of the table. Times are in nanoseconds.
  public struct Line: Encodable, Sendable {
    /// The note number of a drum, 0...127. For a tone of a pitched part: 128 + 16 · ``Part/number`` + the raw value of the ``PartTone``.
    public var voice: Int
    /// The cut-off group, 0 for none. A stroke stops all sounding notes of its group.
    public var group: Int
    /// The least total activity, of all players together, at which the line sounds.
    public var from: Int
    /// The greatest total activity at which the line sounds.
    public var to: Int
    /// The chance of a stroke at the total activity ``from``, in percent.
    public var lowActivityChance: Int
    /// The chance of a stroke at the total activity ``to``, in percent.
    public var highActivityChance: Int
    /// Whether the line replaces the earlier lines of the same voice.
    public var replaces: Bool
    /// Whether the line is part of the fill (``Fill``).
    public var isFill: Bool
    /// The loudness in percent.
    public var level: Int
    /// The number of bars.
    public var bars: Int
    /// The number of strokes and rests per bar.
    public var strokesPerBar: Int
    /// The distance between two strokes in ticks.
    public var ticksPerStroke: Int
    /// The index of the first stroke in ``StepTableDescription/strokes``.
    public var firstStroke: Int
    /// How much later than the grid the line sounds; negative if earlier.
    public var feel: Int64
  }

  /// A chord of the progression.
  public struct Chord: Encodable, Sendable {
    /// The first step, counted from the first step of the progression.
    public var step: Int
    /// The pitch class of the root in semitones above C, 0...11.
    public var root: Int
    /// The pitch class that the bass plays as root, 0...11.
    public var bass: Int
    /// Bit n is set if the chord contains the note n semitones above C.
    public var pitchClasses: Int
  }

  /// The keys of a pitched part in one chord.
  public struct Keys: Encodable, Sendable {
    /// The keys of the tones from ``PartTone/root`` to ``PartTone/approach``. The index is the raw value of the tone.
    public var tones: [Int]
    /// The keys of the tone ``PartTone/chord``.
    public var chord: [Int]
  }

  /// The lines of the drums, followed by the lines of the pitched parts.
  public var lines: [Line]
  /// The number of lines of the drums.
  public var drumLineCount: Int
  /// The codes of the strokes of all lines (``Stroke``, ``PartStep``); 0 for a rest.
  public var strokes: [Int]
  /// The length of a bar in steps.
  public var barSteps: Int
  /// The length of the pattern in bars.
  public var bars: Int
  /// The delay by swing of each of the four steps of a quarter note, in thousandths of a tick.
  public var swing: [Int]
  /// ``Patch/swell``.
  public var swell: Int
  /// ``Patch/seed``.
  public var seed: UInt32
  /// The number of bars in a group. The fill can sound in the last bar of each group. 0 without a fill.
  public var fillPeriod: Int
  /// The chance of the fill in percent.
  public var fillChance: Int
  /// The chords; empty for a rhythm without chords.
  public var chords: [Chord]
  /// The length of the progression in steps.
  public var chordSteps: Int
  /// For each pitched part (bass, guitar, keys), its keys in each chord.
  public var keys: [[Keys]]
  /// The General MIDI program of each part. The index is ``Part/number``.
  public var programs: [Int]

  /// Describes `table`.
  public init(_ table: StepTable) {
    lines = (0..<table.lineCount).map { index in
      let line = table.lines[index]
      return Line(
        voice: Int(line.voice), group: Int(line.group), from: Int(line.from), to: Int(line.to),
        lowActivityChance: Int(line.lowActivityChance), highActivityChance: Int(line.highActivityChance),
        replaces: line.replaces,
        isFill: line.isFill, level: Int(line.level), bars: Int(line.bars), strokesPerBar: Int(line.strokesPerBar),
        ticksPerStroke: Int(line.ticksPerStroke), firstStroke: Int(line.firstStroke), feel: line.feel.count)
    }
    drumLineCount = table.drumLineCount
    let strokeCount = lines.map { $0.firstStroke + $0.bars * $0.strokesPerBar }.max() ?? 0
    strokes = (0..<strokeCount).map { Int(table.strokes[$0]) }
    (barSteps, bars) = (Int(table.barSteps), Int(table.bars))
    swing = (0..<4).map { Int(table.swing[$0]) }
    (swell, seed) = (Int(table.swell), table.seed)
    (fillPeriod, fillChance) = (Int(table.fillPeriod), Int(table.fillChance))
    chords = (0..<table.chords.count).map { index in
      let entry = table.chords.entries[index]
      return Chord(
        step: Int(entry.step), root: Int(entry.tones.root), bass: Int(entry.tones.bass),
        pitchClasses: Int(entry.tones.pitchClasses))
    }
    chordSteps = table.chords.stepCount
    keys = (0..<3).map { part in
      (0..<table.chords.count).map { chord in
        let keys = table.partKeys[part * ChordProgression.maximumChords + chord]
        return Keys(
          tones: (0..<6).map { Int(keys.tones[$0]) }, chord: (0..<Int(keys.chordCount)).map { Int(keys.chord[$0]) })
      }
    }
    programs = (0..<4).map { Int(table.programs[$0]) }
  }
}

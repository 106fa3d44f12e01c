/// The contents of a ``StepTable``, encoded as JSON for other programs, such as the web page. The JSON keys are the names of the
/// properties. Times are in nanoseconds.
///
/// Real-time: not safe.
public struct StepTableDescription: Encodable, Sendable {
  /// A chord of the progression.
  struct Chord: Encodable {
    /// The first step, counted from the first step of the progression.
    var step: Int
    /// The pitch class of the root in semitones above C, 0...11.
    var root: UInt8
    /// The pitch class that the bass plays as root, 0...11.
    var bass: UInt8
    /// Bit n is set if the chord contains the note n semitones above C.
    var pitchClasses: UInt16
  }

  /// The keys of a pitched part in one chord.
  struct Keys: Encodable {
    /// The keys of the tones from ``PartTone/root`` to ``PartTone/approach``. The index is the raw value of the tone.
    var tones: [UInt8]
    /// The keys of the tone ``PartTone/chord``.
    var chord: [UInt8]
  }

  /// The lines of the drums, followed by the lines of the pitched parts.
  let lines: [TableLine]
  /// The number of lines of the drums.
  let drumLineCount: Int
  /// The codes of the strokes of all lines (``Stroke``, ``PartStep``); 0 for a rest.
  let strokes: [UInt8]
  /// The length of a bar in steps.
  let barSteps: UInt8
  /// The length of the pattern in bars.
  let bars: UInt8
  /// The delay by swing of each of the four steps of a quarter note, in thousandths of a tick.
  let swing: [Int32]
  /// ``Patch/swell``.
  let swell: UInt8
  /// ``Patch/seed``.
  let seed: UInt32
  /// The number of bars in a group. The fill can sound in the last bar of each group. 0 without a fill.
  let fillPeriod: UInt8
  /// The chance of the fill in percent.
  let fillChance: UInt8
  /// The chords; empty for a rhythm without chords.
  let chords: [Chord]
  /// The length of the progression in steps.
  let chordSteps: Int
  /// For each pitched part (bass, guitar, keys), its keys in each chord.
  let keys: [[Keys]]
  /// The General MIDI program of each part. The index is ``Part/number``.
  let programs: [UInt8]

  /// Describes `table`.
  public init(_ table: StepTable) {
    lines = (0..<table.lineCount).map { table.lines[$0] }
    drumLineCount = table.drumLineCount
    let strokeCount = lines.map { Int($0.firstStroke) + Int($0.bars) * Int($0.strokesPerBar) }.max() ?? 0
    strokes = (0..<strokeCount).map { table.strokes[$0] }
    (barSteps, bars, swell, seed) = (table.barSteps, table.bars, table.swell, table.seed)
    swing = (0..<4).map { table.swing[$0] }
    (fillPeriod, fillChance) = (table.fillPeriod, table.fillChance)
    chords = (0..<table.chords.count).map { index in
      let entry = table.chords.entries[index]
      return Chord(
        step: Int(entry.step), root: entry.tones.root, bass: entry.tones.bass, pitchClasses: entry.tones.pitchClasses)
    }
    chordSteps = table.chords.stepCount
    keys = (0..<3).map { part in
      (0..<table.chords.count).map { chord in
        let keys = table.partKeys[part * ChordProgression.maximumChords + chord]
        return Keys(tones: (0..<6).map { keys.tones[$0] }, chord: (0..<Int(keys.chordCount)).map { keys.chord[$0] })
      }
    }
    programs = (0..<4).map { table.programs[$0] }
  }
}

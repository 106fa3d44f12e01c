/// An instrument, as written in a patch file. It plays a figure in time with the rhythm, or one note per action of the player, such as
/// a key or a shake. Its properties follow the controls of the player.
///
/// Only ``InstrumentLoader`` creates instruments. An ``InstrumentPlayer`` plays the ``InstrumentTable`` of an instrument.
///
/// Real-time: not safe.
public struct Instrument: Hashable, Sendable {
  public let name: String
  /// A description of the instrument for the user, in one sentence; empty if the file has none.
  public let description: String
  /// The General MIDI program, 0...127.
  public let program: UInt8
  /// The notes that the instrument plays. If ``followsChords`` is true, the instrument plays these notes only while there are no chords.
  public let scale: Scale
  /// Whether the instrument plays the notes of the present chord in a rhythm with chords.
  public let followsChords: Bool
  /// The lowest and the highest key, within 0...127. At least one note of ``scale`` is within the range. If ``followsChords`` is
  /// true, the range is at least an octave, so it contains all notes of every chord.
  public let range: ClosedRange<UInt8>
  /// The figure; nil for a free instrument, which plays one note per action.
  public let figure: Figure?
  /// Selects the note of the scale, from the lowest to the highest within ``range``.
  public let pitch: ControlMapping
  /// How many notes of the figure sound: one at 0, all at 127.
  public let density: ControlMapping
  /// The value of Brightness (CC 74); nil if the instrument does not send Brightness.
  public let brightness: ControlMapping?
  /// The velocity of a normal note.
  public let loudness: ControlMapping
  /// The grid of the figure and of played notes, and the tolerance for late notes.
  public let quantizer: Quantizer
  /// How long a note sounds.
  public let length: NoteValue

  /// The name of the scale in a patch, such as `D minor pentatonic` or `chord or D minor pentatonic`.
  public var scaleName: String { followsChords ? "chord or \(scale.name)" : scale.name }
  /// The MIDI keys that the instrument plays without chords, ascending. The array has 1 to 128 elements.
  public var keys: [UInt8] { scale.keys(in: range) }
  /// The short name of the sound.
  public var sound: String { ProgramNames.name(of: program) }
  /// The General MIDI name of the sound.
  public var standardSound: String { ProgramNames.standardName(of: program) }
  /// The names of ``keys``. C4 is key 60.
  public var keyNames: [String] { keys.map { NoteName.name(of: $0) } }
  /// The names of the lowest and the highest key, such as `D3..D6`. C4 is key 60.
  public var rangeName: String { "\(NoteName.name(of: range.lowerBound))..\(NoteName.name(of: range.upperBound))" }
}

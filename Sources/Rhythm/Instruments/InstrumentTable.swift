/// An instrument in the form that a real-time thread plays: one trivial value of fixed size without references, which can be
/// passed through a ring or a triple buffer.
public struct InstrumentTable: Sendable, BitwiseCopyable {
  /// A unit of the figure.
  struct Unit: Sendable, BitwiseCopyable {
    /// The velocity of the stroke (``Stroke/velocity``); 0 for a rest.
    var velocity: UInt8 = 0
    /// ``Figure/Note/degree``.
    var degree: UInt8 = 0
    /// The rank of the note (``Figure/ranks(grid:)``). The note sounds if the density admits more than `rank` notes.
    var rank: UInt8 = 0

    @_noLocks @_noAllocation
    init() {}
  }

  /// The General MIDI program, 0...127.
  ///
  /// Real-time: safe.
  public let program: UInt8
  /// Whether the instrument plays a figure.
  ///
  /// Real-time: safe.
  public var hasFigure: Bool { @_noLocks @_noAllocation get { unitCount > 0 } }
  /// The grid of the figure and of played notes.
  ///
  /// Real-time: safe.
  public let quantizer: Quantizer

  /// Whether the instrument plays the notes of the present chord in a rhythm with chords.
  let followsChords: Bool
  /// The lowest key of the range.
  let lowestKey: UInt8
  /// The highest key of the range.
  let highestKey: UInt8
  /// The notes of the scale, ascending. The first ``keyCount`` elements are used.
  var keys: InlineArray<128, UInt8>
  let keyCount: Int
  /// The units of the figure. The first ``unitCount`` elements are used.
  var units: InlineArray<64, Unit>
  /// The length of the figure in units of the grid, 1...64; 0 without a figure.
  let unitCount: Int
  /// The number of notes of the figure.
  let noteCount: Int
  /// The largest degree of the figure, 0...8.
  let greatestDegree: Int
  let pitch: ControlMapping
  let density: ControlMapping
  let brightness: ControlMapping?
  let loudness: ControlMapping
  /// The length of a note in thousandths of a tick.
  let noteLength: Int64

  /// Creates the table of `instrument`.
  ///
  /// Real-time: not safe.
  public init(_ instrument: Instrument) {
    (program, quantizer) = (instrument.program, instrument.quantizer)
    (pitch, density) = (instrument.pitch, instrument.density)
    (brightness, loudness) = (instrument.brightness, instrument.loudness)
    noteLength = instrument.length.ticks * MusicalPosition.perTick
    followsChords = instrument.followsChords
    (lowestKey, highestKey) = (instrument.range.lowerBound, instrument.range.upperBound)
    keys = InlineArray(repeating: 0)
    keyCount = instrument.keys.count
    for (index, key) in instrument.keys.enumerated() { keys[index] = key }
    units = InlineArray(repeating: Unit())
    unitCount = instrument.figure?.notes.count ?? 0
    noteCount = instrument.figure?.noteCount ?? 0
    greatestDegree = Int(instrument.figure?.notes.compactMap { $0?.degree }.max() ?? 0)
    guard let figure = instrument.figure else { return }
    let ranks = figure.ranks(grid: instrument.quantizer.grid)
    for (index, note) in figure.notes.enumerated() {
      guard let note else { continue }
      (units[index].velocity, units[index].degree) = (note.stroke.velocity, note.degree)
      units[index].rank = UInt8(ranks[index])
    }
  }
}

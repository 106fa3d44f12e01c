public import MusicalTime

/// A rhythm in layers, as written in a patch file. Simple layers sound at low activity, complex layers at high
/// activity. A rhythm with pitched parts is a style.
///
/// Only ``PatchLoader`` creates patches, and it enforces the limits below. The real-time thread plays the ``StepTable``
/// of a patch.
///
/// Real-time: not safe.
public struct Patch: Hashable, Sendable {
  public let name: String
  /// A description of the rhythm for the user, in one sentence.
  public let description: String
  public let meter: Meter
  /// The default tempo. The peer that starts the rhythm may choose another.
  public let tempo: Tempo
  public let swing: Swing
  /// How much softer than written a line sounds at the least activity of its layer, in percent, 0...50. From there, the loudness
  /// rises linearly. At the greatest activity of the layer, the line sounds as written.
  public let swell: Int
  /// The seed of all decisions by chance.
  public let seed: UInt32
  public let layerChange: LayerChange
  /// The voices, in the order of their first use: 1...``maximumVoices``, each with a different note.
  public let kit: [Voice]
  /// The layers, in the order of the file: 1...``maximumLayers``.
  public let layers: [Layer]
  /// The lines of the drums, 1...``StepTable/maximumLines``. The lines of all layers come first, in the order of the file. The lines of the
  /// fill follow.
  public let lines: [Line]
  /// When the lines of the fill sound; nil if there is no fill.
  public let fill: Fill?
  /// The chords; nil if there are none.
  public let chords: ChordLine?
  /// The pitched parts, in the order of ``Part``, each at most once. Empty without chords.
  public let parts: [PitchedPart]
  /// The text from which the patch was read, in YAML.
  public let text: String

  /// The length of the pattern in bars, 1...``maximumBars``: the least common multiple of the lengths of the chords and of all
  /// lines except those of the fill.
  public var bars: Int { lengths.reduce(1, leastCommonMultiple) }

  /// The different lengths in bars of the chords and of all lines except those of the fill.
  var lengths: Set<Int> {
    let drums = lines.filter { $0.layer != nil }.map(\.bars.count)
    let pitched = parts.flatMap { $0.lines.map(\.bars.count) }
    return Set(drums + pitched + (chords.map { [$0.bars] } ?? []))
  }

  /// The length of the pattern in steps.
  public var stepCount: Int { bars * Int(meter.stepsPerBar) }

  /// The names of the cut-off groups, whose voices silence each other, in the order of the kit: at most ``maximumGroups``. Group n of
  /// a ``Hit`` is element n - 1.
  public var groups: [String] {
    kit.reduce(into: []) { groups, voice in
      if let group = voice.group, !groups.contains(group) { groups.append(group) }
    }
  }

  public static let maximumBars = 16
  public static let maximumVoices = 32
  public static let maximumLayers = 32
  /// The largest number of lines of one voice.
  public static let maximumLinesPerVoice = 16
  /// The largest number of cut-off groups: as many as the sound has (`DrumLanes.groupCount`). Each group needs its own drum channel in
  /// the synthesizer, which has sixteen channels.
  public static let maximumGroups = 8
}

/// The least common multiple of two positive numbers.
func leastCommonMultiple(_ a: Int, _ b: Int) -> Int {
  var (divisor, rest) = (a, b)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return a / divisor * b
}

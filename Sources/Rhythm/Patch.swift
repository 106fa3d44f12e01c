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
  /// A description of the rhythm for the user, in one sentence; empty if the file has none.
  public let description: String
  public let meter: Meter
  /// The beats as musicians count them: the length of each beat in units of the meter. The sum is the number of units in a bar.
  public let beatGroups: [Int]
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

  /// The drums and the pitched parts that the rhythm has, in the order of ``Part``.
  public var presentParts: [Part] { [.drums] + parts.map(\.part) }

  /// The length of the pattern in bars, 1...``maximumBars``: the least common multiple of the lengths of the chords and of all
  /// lines except those of the fill.
  public var bars: Int { lengths.reduce(1, leastCommonMultiple) }

  /// The different lengths in bars of the chords and of all lines except those of the fill.
  var lengths: Set<Int> {
    let drums = lines.filter { $0.layer != nil }.map { $0.bars.count }
    let pitched = parts.flatMap { $0.lines.map { $0.bars.count } }
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

/// Some lines of a rhythm, which sound while the total activity is within a range. The total activity combines
/// the activities of all players.
///
/// Real-time: not safe.
public struct Layer: Hashable, Sendable {
  /// The range of total activity in which the layer sounds, within 0...127.
  public let activity: ClosedRange<UInt8>

  /// The key of the layer in a patch: `always`, `from 40`, `to 39` or `from 40 to 83`.
  public var name: String {
    switch (activity.lowerBound, activity.upperBound) {
    case (0, 127): "always"
    case (let from, 127): "from \(from)"
    case (0, let to): "to \(to)"
    case (let from, let to): "from \(from) to \(to)"
    }
  }
}

/// The positions at which the layers of a patch can change. The total activity, which combines the activities of all players,
/// selects the layers. The master decides the total for each of these positions, so that all peers change their layers on the
/// same tick. The total that applies at a tick is the intensity at this tick.
public enum LayerChange: String, Hashable, Sendable, CaseIterable {
  /// On each quarter note.
  case beat
  /// On the first step of each bar.
  case bar
}

/// When the lines of the fill sound. A fill is a bar with other or additional strokes, at the end of a group of bars.
public struct Fill: Hashable, Sendable {
  /// The number of bars in a group, 2...``maximumPeriod``. The fill sounds in the last bar of each group.
  public let period: Int
  /// The chance that the fill sounds in such a bar, in percent, 1...100.
  public let chance: Int

  public static let maximumPeriod = 64
}

/// One drum of a patch.
public struct Voice: Hashable, Sendable {
  /// The name by which the lines refer to the drum.
  public let name: String
  /// The note number on a General MIDI drum channel, 0...127 (35 to 81 sound on every General MIDI device). No other voice of the patch
  /// has the same number.
  public let note: UInt8
  /// The name of the cut-off group, or nil. A stroke stops all sounding notes of its group, as a closing hi-hat does.
  public let group: String?
  /// How much later than the grid the drum sounds, -``maximumFeel``...``maximumFeel``. A negative value pushes, a positive
  /// value drags.
  public internal(set) var feel: Nanoseconds = .zero
  /// The loudness in percent of the velocity of the written stroke, 10...150.
  public internal(set) var level = 100

  /// The largest distance from the grid.
  public static let maximumFeel = Nanoseconds.milliseconds(50)
}

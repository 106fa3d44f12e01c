import MusicalTime

/// A rhythm in layers, as people write it: low activity lets the simple layers sound, high activity the wild ones.
///
/// A patch comes from ``PatchLoader`` alone, which sees to the limits stated here; the real-time thread plays its
/// ``StepTable``.
public struct Patch: Hashable, Sendable {
  public let name: String
  /// One sentence for the person who chooses.
  public let description: String
  public let meter: Meter
  /// Length of the pattern in bars, 1...4.
  public let bars: Int
  /// The tempo it was written for. Whoever starts the rhythm may choose another.
  public let tempo: Tempo
  /// The voices, in the order of the file: at least one, at most ``mostVoices``, no two of one note.
  public let kit: [Voice]
  /// The layers, in the order of the file: at least one, at most ``mostLayers``.
  public let layers: [Layer]

  /// Length of the pattern in steps, 1...``StepTable/mostSteps``.
  public var stepCount: Int { bars * Int(meter.stepsPerBar) }

  /// The names of the cut-off groups, in the order of the kit: at most ``mostGroups``. Group n of a ``Hit`` is
  /// element n - 1.
  public var groups: [String] {
    kit.reduce(into: []) { groups, voice in
      if let group = voice.group, !groups.contains(group) { groups.append(group) }
    }
  }

  public static let mostVoices = 32
  public static let mostLayers = 32
  /// Each group needs a drum channel of its own in the synthesizer, which has sixteen.
  public static let mostGroups = 8
}

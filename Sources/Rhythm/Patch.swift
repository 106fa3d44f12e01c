import MusicalTime

/// A rhythm in layers, as written in a patch file. Simple layers sound at low activity, complex layers at high
/// activity.
///
/// Only ``PatchLoader`` creates patches, and it enforces the limits below. The real-time thread plays the ``StepTable``
/// of a patch.
public struct Patch: Hashable, Sendable {
  public let name: String
  /// A description of the rhythm for the user, in one sentence.
  public let description: String
  public let meter: Meter
  /// The length of the pattern in bars, 1...4.
  public let bars: Int
  /// The default tempo. The peer that starts the rhythm may choose another.
  public let tempo: Tempo
  /// The voices, in the order of the file: 1...``maximumVoices``, each with a different note.
  public let kit: [Voice]
  /// The layers, in the order of the file: 1...``maximumLayers``.
  public let layers: [Layer]

  /// The length of the pattern in steps, 1...``StepTable/maximumSteps``.
  public var stepCount: Int { bars * Int(meter.stepsPerBar) }

  /// The names of the cut-off groups, in the order of the kit: at most ``maximumGroups``. Group n of a ``Hit`` is
  /// element n - 1.
  public var groups: [String] {
    kit.reduce(into: []) { groups, voice in
      if let group = voice.group, !groups.contains(group) { groups.append(group) }
    }
  }

  public static let maximumVoices = 32
  public static let maximumLayers = 32
  /// The largest number of cut-off groups. Each group needs its own drum channel in the synthesizer, which has sixteen
  /// channels.
  public static let maximumGroups = 8
}

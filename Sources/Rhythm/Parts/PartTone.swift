/// The note or notes of the present chord that a line of a pitched part plays. The raw value is the code in a ``StepTable``.
public enum PartTone: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The lowest root in the range. The bass plays the note after the slash of a chord such as `C/E`.
  case root = 0
  /// The third above the root. A suspended chord gives its fourth or second, and a power chord its fifth.
  case third
  /// The perfect, diminished or augmented fifth.
  case fifth
  /// The seventh, or the sixth. A chord with neither of them gives the octave.
  case seventh
  /// The octave of the root, or the root if the octave is outside the range.
  case octave
  /// The note a semitone below the root of the next chord, or a semitone above it if the lower note is outside the range.
  case approach
  /// All notes of the chord in close position, that is, within an octave.
  case chord

  /// The name of the line in a patch.
  ///
  /// Real-time: not safe.
  public var name: String {
    switch self {
    case .root: "root"
    case .third: "third"
    case .fifth: "fifth"
    case .seventh: "seventh"
    case .octave: "octave"
    case .approach: "approach"
    case .chord: "chord"
    }
  }

  /// Creates the tone with a name in a patch; nil for any other name.
  init?(named name: String) {
    guard let tone = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = tone
  }
}

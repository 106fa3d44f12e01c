/// One instrument of a patch's kit: what its strokes ask the synthesizer for.
public struct Voice: Hashable, Sendable {
  /// What the layers call it.
  public let name: String
  /// Note number on a General MIDI drum channel, 0...127 (35 to 81 sound everywhere).
  public let note: UInt8
  /// The cut-off group's name, or nil: a stroke silences what still rings of its group, as a closing hi-hat does.
  public let group: String?
}

/// One instrument of the kit of a patch.
public struct Voice: Hashable, Sendable {
  /// The name by which the layers refer to the voice.
  public let name: String
  /// The note number on a General MIDI drum channel, 0...127 (35 to 81 sound on every device).
  public let note: UInt8
  /// The name of the cut-off group, or nil. A stroke stops all sounding notes of its group, as a closing hi-hat does.
  public let group: String?
}

/// A part of a rhythm that sounds while the total activity is within a range.
public struct Layer: Hashable, Sendable {
  /// The name, which is unique in the patch.
  public let name: String
  /// The range of total activity in which the layer sounds, within 0...127.
  public let activity: ClosedRange<UInt8>
  /// The tracks of the layer, at most one per voice.
  public let tracks: [Track]

  /// The strokes of one voice over the whole pattern. Each step has at most one stroke, which is one note.
  public struct Track: Hashable, Sendable {
    /// The index of the voice in ``Patch/kit``.
    public let voice: Int
    /// The dynamic of the stroke on each step of the pattern; nil for a rest.
    public let strokes: [Dynamic?]
  }
}

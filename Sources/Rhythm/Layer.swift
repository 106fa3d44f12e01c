/// A part of a rhythm that sounds while the total activity is within its range.
public struct Layer: Hashable, Sendable {
  public let name: String
  /// The total activity at which the layer sounds, within 0...127.
  public let activity: ClosedRange<UInt8>
  /// What it plays: at most one track a voice.
  public let tracks: [Track]

  /// The strokes of one voice over the whole pattern.
  public struct Track: Hashable, Sendable {
    /// The voice: its place in ``Patch/kit``.
    public let voice: Int
    /// One element a step, nil for a rest.
    public let strokes: [Dynamic?]
  }
}

/// The chords of a rhythm. They repeat from the first downbeat.
public struct ChordLine: Hashable, Sendable {
  /// A chord and where it begins.
  public struct Change: Hashable, Sendable {
    public let chord: Chord
    /// The first step of the chord, counted from the first step of the chord line.
    public let step: Int
  }

  /// The chords in the order of time: 1...``ChordProgression/maximumChords``. The first one begins at step 0.
  public let changes: [Change]
  /// The length in bars, 1...``Patch/maximumBars``.
  public let bars: Int
  /// The notation in the patch, with one space between words.
  public let text: String
}

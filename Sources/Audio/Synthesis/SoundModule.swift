/// The sound source of a peer: a drum kit for the rhythm, with frame-exact hits, and sixteen channels for the notes of the
/// players. Both share one SoundFont.
///
/// The value has one owner, so one thread at a time uses it.
public struct SoundModule: ~Copyable {
  var lanes: DrumLanes
  var channels: ChannelSynthesizer

  /// Loads a SoundFont for frames on `grid`.
  ///
  /// - Throws: ``AudioFileError`` if `soundFont` cannot be read, is not a SoundFont or has no drum kit.
  ///
  /// Real-time: not safe.
  public init(soundFont: String, grid: FrameGrid = .standard) throws(AudioFileError) {
    let shared = try SoundFont(soundFont, rate: grid.rate)
    lanes = try DrumLanes(shared)
    channels = ChannelSynthesizer(shared)
  }
}

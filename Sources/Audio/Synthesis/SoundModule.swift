/// What a peer sounds with: a drum kit for the rhythm, whose hits are exact to the frame, and sixteen channels for what
/// is played. They share one SoundFont.
///
/// It has one owner, so one thread at a time uses it.
public struct SoundModule: ~Copyable {
  var lanes: DrumLanes
  var channels: ChannelSynthesizer

  /// Loads a SoundFont for frames on `grid`.
  ///
  /// - Throws: ``AudioFileError`` when `soundFont` cannot be read, is no SoundFont or has no drums.
  ///
  /// Real-time: not safe.
  public init(soundFont: String = DrumLanes.defaultSoundFont, grid: FrameGrid = .standard) throws(AudioFileError) {
    let shared = try SoundFont(soundFont, rate: grid.rate)
    lanes = try DrumLanes(shared)
    channels = ChannelSynthesizer(shared)
  }
}

/// The sound source of a peer: a drum kit for the rhythm, with frame-exact hits, and sixteen channels for the notes of the
/// players. Both share one SoundFont.
///
/// The value has one owner, so one thread at a time uses it.
public struct SoundModule: ~Copyable {
  var lanes: DrumLanes
  var channels: ChannelSynthesizer

  /// Nil if all lanes exist and all samples are in memory.
  private let supply: SoundSupply?

  /// Loads a SoundFont for frames on `grid`, with all lanes and samples, to render faster than real time.
  ///
  /// - Throws: ``AudioFileError`` if `soundFont` cannot be read, is not a SoundFont or has no drum kit.
  ///
  /// Real-time: not safe.
  public init(soundFont: String, grid: FrameGrid = .standard) throws(AudioFileError) {
    let shared = try SoundFont(soundFont, rate: grid.rate)
    lanes = try DrumLanes(shared)
    channels = ChannelSynthesizer(shared)
    supply = nil
  }

  /// Loads a SoundFont for frames on `grid`, with few lanes, the drum kit, and the samples of the programs with which the channels begin.
  /// The rest comes from `supply` while the module plays in real time.
  ///
  /// - Parameters:
  ///   - supply: A supply that no other module uses. The module starts and stops it.
  ///   - programs: The programs that play soon, 0...127.
  /// - Throws: ``AudioFileError``, as above.
  ///
  /// Real-time: not safe.
  public init(
    soundFont: String, grid: FrameGrid = .standard, supply: SoundSupply, programs: Set<UInt8>
  ) throws(AudioFileError) {
    let shared = try SoundFont(soundFont, rate: grid.rate)
    lanes = try DrumLanes(shared, supply: supply.rings)
    channels = ChannelSynthesizer(shared, supply: supply.rings)
    shared.samples.release(keeping: programs.union(ChannelSynthesizer.defaultPrograms))
    supply.start(shared, lane: lanes.lanes[0], channelLane: channels.synthesizers[0])
    self.supply = supply
  }

  // The supply uses the SoundFont and the first lanes, which are deleted after this.
  deinit { supply?.stop() }
}

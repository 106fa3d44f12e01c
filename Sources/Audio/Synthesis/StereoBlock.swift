/// One block of rendered sound: 64 stereo frames, -1...1 at full scale. FluidSynth renders the same number of frames at once.
public struct StereoBlock: Sendable, BitwiseCopyable {
  /// Frames per block.
  ///
  /// Real-time: safe.
  public static var length: Int64 { @_noLocks @_noAllocation get { 64 } }

  /// The number of the first frame on the grid.
  public var frame: Int64 = 0
  public var left = InlineArray<64, Float>(repeating: 0)
  public var right = InlineArray<64, Float>(repeating: 0)

  /// Creates a silent block at frame 0.
  ///
  /// Real-time: not safe.
  public init() {}
}

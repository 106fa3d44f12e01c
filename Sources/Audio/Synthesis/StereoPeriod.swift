/// One period of rendered sound: 256 stereo frames, -1...1 at full scale.
public struct StereoPeriod: Sendable, BitwiseCopyable {
  /// The number of the first frame on the grid.
  public var frame: Int64 = 0
  public var left = InlineArray<256, Float>(repeating: 0)
  public var right = InlineArray<256, Float>(repeating: 0)

  /// Creates a silent period at frame 0.
  public init() {}
}

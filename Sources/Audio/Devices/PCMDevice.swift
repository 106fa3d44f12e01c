import CALSA
public import MusicalTime

/// A sound card, or a virtual device of a sound server, open for playback.
///
/// The initializer opens the device, so that it can throw errors. Afterwards, only the audio thread that receives the device uses,
/// closes and reopens it. See ``AudioSink/card(_:latency:)``.
public final class PCMDevice: @unchecked Sendable {
  /// The default period in frames.
  public static let defaultPeriod: Int64 = 256
  /// The shortest and the longest period in frames.
  public static let periods: ClosedRange<Int64> = 64...1024

  /// The ALSA name of the device.
  public let name: String
  /// The frames of the device at its nominal rate. ``SoundModule`` must be loaded for this grid. A device that appears, or returns
  /// after a loss, with another rate stays silent.
  public let grid: FrameGrid
  /// A description of the device and its delay, as text for the user.
  public let summary: String

  /// How long before its instant a hit must be submitted to sound in time, as far as this is known before playback: the
  /// initial fill level and two batches. A sound server reports its own delay only during playback, see
  /// ``CardState/lead``.
  public let lead: Nanoseconds
  /// Whether the device belongs to a sound server; false for a device that was missing at the start, because its kind is not known.
  public let usesSoundServer: Bool

  /// Whether the device was missing at the start. The audio thread opens it when it appears.
  public let isAwaited: Bool

  // Invariant: used by the creator until an audio thread is started with this device, then by that thread only, and by
  // the creator again after the thread has ended.
  private(set) var stream: PCMStream?
  /// The requested period in frames.
  private let period: Int64

  /// Opens the device `name` for playback at 48 000 frames per second, or at the nearest supported rate in 8000...96000.
  ///
  /// - Parameter period: The number of frames that a sound card should still hold when the next block is written: in ``periods``,
  ///   and a whole number of blocks (``StereoBlock/length``). If the card has more frames between two interrupts, this number is
  ///   used instead. Sound servers ignore the parameter.
  /// - Throws: ``PCMError`` if the device is missing, busy, not permitted, or supports no usable parameters.
  ///
  /// Real-time: not safe.
  public init(_ name: String, period: Int64 = PCMDevice.defaultPeriod) throws(PCMError) {
    let stream = try Self.open(name, rate: nil, period: period)
    // A grid exists for every rate that `open` accepts.
    guard let grid = FrameGrid(rate: stream.rate) else {
      fatalError("sound card \(name): plays at \(stream.rate) Hz, but 8000 to 96000 Hz are supported")
    }
    (self.name, self.grid, self.stream, self.period) = (name, grid, stream, period)
    summary = Self.summary(name, stream)
    let batch = Int64(stream.blocksPerBatch) * StereoBlock.length
    lead = Self.duration(grid, frames: CardLoop.initialFillLevel(of: stream) + 2 * batch)
    usesSoundServer = !stream.isHardware
    isAwaited = false
  }

  /// Describes a device that is missing. The audio thread opens it when it appears, at 48 000 frames per second, with the
  /// period `period` (see ``init(_:period:)``).
  ///
  /// Real-time: not safe.
  public init(awaiting name: String, period: Int64 = PCMDevice.defaultPeriod) {
    (self.name, grid, self.period) = (name, .standard, period)
    summary =
      "\(name): not usable now, so this peer plays without a sound card until the device can be opened; "
      + "`tutti ports` lists others"
    // The fill level of a sound server, 1024 frames, and its two batches of 256 frames exceed those of a sound card.
    lead = Self.duration(.standard, frames: 1_024 + 2 * 256)
    (usesSoundServer, isAwaited) = (false, true)
  }

  deinit { close() }

  /// Closes the device. Call this function only when no audio thread uses the device. A second call has no effect.
  ///
  /// Real-time: not safe.
  public func close() {
    if let stream { snd_pcm_close(stream.pcm) }
    stream = nil
  }

  /// Closes the device and opens it again at the same rate.
  ///
  /// Real-time: not safe.
  func reopen() throws(PCMError) {
    close()
    stream = try Self.open(name, rate: grid.rate, period: period)
  }

  /// Returns the duration of `frames` frames of `grid`.
  private static func duration(_ grid: FrameGrid, frames: Int64) -> Nanoseconds {
    grid.instant(of: frames) - grid.instant(of: 0)
  }

  /// Returns the description of the opened `stream` for the user.
  private static func summary(_ name: String, _ stream: PCMStream) -> String {
    let fillLevel = CardLoop.initialFillLevel(of: stream)
    // Rounded to a tenth of a millisecond.
    let milliseconds = (Double(fillLevel) * 10_000 / Double(stream.rate)).rounded() / 10
    // The number of periods is rounded up.
    let periods =
      stream.isHardware
      ? "period of \(stream.period) frames"
      : "\((fillLevel + stream.period - 1) / stream.period) periods of \(stream.period) frames"
    let delay =
      stream.isHardware
      ? "output delay \(milliseconds) ms, as reported by the device"
      : "output delay \(milliseconds) ms, plus the delay that the sound server reports during playback"
    return "\(name): \(stream.rate) Hz, \(periods); \(delay); "
      + "if speakers or Bluetooth add delay, give it with --latency"
  }
}

public import MusicalTime

/// The clock of a sound card: the instant at which each frame leaves the converter, estimated from the time stamps of the
/// device.
///
/// **Estimation.** With every step of the audio thread, the device reports which frame is at its converter (frames written minus
/// its delay), and at which instant of CLOCK_MONOTONIC it read this position. A line is fitted through these points over the last
/// 32 s. The points are grouped in blocks of half a second, or less (see Slew). These are not the blocks of 64 frames that are
/// rendered. Adriaensen ("Using a DLL to filter time", LAC 2005) smooths such points with a loop that assumes symmetric noise. The
/// error of hardware is one-sided: a reported position is never ahead of the true position, but it may be old, by the packet
/// interval (USB: 1 ms) or the timer interval (snd-aloop: 4 ms). For hardware, the line is therefore the lower bound of the points,
/// as the NTP clock filter uses the packet with the minimum delay. The positions of sound servers are estimates with errors of
/// both signs. For them, the line is the least-squares line. The slope is limited to 500 ppm around the nominal rate. See
/// ``TimestampRegression`` for both lines.
///
/// **Slew.** The result is ``fit``, a line in integer arithmetic that approaches the estimated line by at most 1 ms per second. It
/// may jump only in the first second after a start, or after two consecutive blocks that deviate from ``fit`` by more than 2 ms (the
/// device skipped frames without a report). After two such blocks, only the newer of them and the block that has just begun are
/// kept, and ``fit`` may jump for another second. While ``fit`` may jump, a block ends after a tenth of a second if it has 16 reports. The
/// first reports of a sound server can be wrong, and short blocks let the clock drop them sooner.
///
/// **Bias.** A frame sounds later than ``fit`` shows, because drivers do not report the delay of the converter's filter, usually
/// 0.2...1 ms. This bias is the same for two devices of the same model. For ``Noise/symmetric``, the bias is the mean error of
/// the server's estimates.
///
/// The type reads no clock and uses no device, so a simulation can drive it. Its size is fixed.
public struct DeviceClock: Sendable {
  /// The kind of error in the time stamps of a device.
  public enum Noise: Sendable, BitwiseCopyable {
    /// A position may be old but is never ahead: hardware.
    case oneSided
    /// A position may be old or ahead: sound servers.
    case symmetric
  }

  public let grid: FrameGrid
  public let noise: Noise
  /// The conversion between frames and instants that playback uses.
  ///
  /// Real-time: safe.
  public private(set) var fit: FrameFit

  // Each report of the device is a point (x, lateness). x is the nominal time in seconds from `originFrame` to the reported
  // frame. The lateness is the time in nanoseconds from `originInstant` to the report, minus x.
  private var regression = TimestampRegression()
  private var originFrame: Int64
  private var originInstant: Instant
  /// The estimated line, which ``fit`` follows.
  private var estimate = TimestampRegression.Line(offset: 0, slope: 0)
  /// The last trusted slope; 0 before the first one. The estimated slope is trusted if the blocks span at least ``trustedSpan`` and the
  /// newest complete block is no outlier. The trusted slope is kept when blocks are removed.
  private var trustedSlope = 0.0
  /// Whether there was a trusted slope.
  private var hasTrustedSlope = false
  /// The x of the last point.
  private var lastX = 0.0
  /// The x until which ``fit`` may jump.
  private var acquisitionEnd = DeviceClock.acquisitionTime
  /// The number of consecutive blocks that deviate from ``fit`` by more than ``outlierLimit``.
  private var outlierBlocks = 0
  /// The instant at which the current series of rejections began; nil after an accepted report, and after rejections have restarted
  /// the clock.
  private var firstRejection: Instant?

  /// Seconds after a start during which ``fit`` may jump.
  private static var acquisitionTime: Double { @_noLocks @_noAllocation get { 1 } }
  /// Nanoseconds per second: the limit of the slope around the nominal rate.
  private static var maximumSlope: Double { @_noLocks @_noAllocation get { 500_000 } }
  /// Nanoseconds per second: the limit of the slope around ``trustedSlope``, while the blocks span less than
  /// ``trustedSpan``.
  private static var slopeTolerance: Double { @_noLocks @_noAllocation get { 20_000 } }
  /// The time in seconds that the blocks must span before a slope is estimated.
  private static var slopeSpan: Double { @_noLocks @_noAllocation get { 1 } }
  /// The time in seconds that the blocks must span before the slope is trusted.
  private static var trustedSpan: Double { @_noLocks @_noAllocation get { 8 } }
  /// Nanoseconds per second by which ``fit`` approaches the estimated line.
  private static var maximumSlew: Double { @_noLocks @_noAllocation get { 1_000_000 } }
  /// Nanoseconds: a block that deviates from ``fit`` by more is an outlier.
  private static var outlierLimit: Double { @_noLocks @_noAllocation get { 2_000_000 } }
  /// Nanoseconds (ten seconds): a report that deviates from the estimated line by this time is rejected.
  private static var maximumDeviation: Double { @_noLocks @_noAllocation get { 1e10 } }
  /// The time from the first of consecutive rejections to the restart of the clock.
  private static var maximumRejectionTime: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(500) } }

  /// Creates a clock with the nominal rate and an approximate origin: `frame` leaves the converter at about `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(grid: FrameGrid, noise: Noise, frame: Int64, at instant: Instant) {
    self.grid = grid
    self.noise = noise
    (originFrame, originInstant) = (frame, instant)
    fit = FrameFit(frame: frame, at: instant, grid: grid)
  }

  /// The deviation of the device clock from the nominal rate, in parts per million; positive if the device is slow.
  ///
  /// Real-time: safe.
  public var drift: Double {
    // 1 ppm is 1000 nanoseconds per second.
    @_noLocks @_noAllocation get { estimate.slope / 1_000 }
  }

  /// Sets a new approximate origin after a restart of the stream: `frame` leaves the converter at about `instant`. The rate
  /// is kept.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func restart(frame: Int64, at instant: Instant) {
    regression = TimestampRegression()
    (originFrame, originInstant) = (frame, instant)
    estimate = .init(offset: 0, slope: trustedSlope)
    fit = FrameFit(frame: frame, at: instant, grid: grid, drift: trustedSlope / 1e9)
    (lastX, outlierBlocks, acquisitionEnd) = (0, 0, Self.acquisitionTime)
  }

  /// Adds a report of the device: at `instant`, `frame` was at the converter. A report is rejected if `frame` is before the
  /// last reported frame, or if `instant` is more than ten seconds from the expected instant. When all reports of half a
  /// second were rejected, the clock restarts at the reported frame.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func observe(frame: Int64, at instant: Instant) {
    let frames = frame.subtractingReportingOverflow(originFrame)
    guard !frames.overflow, frames.partialValue >= 0 else { return reject(frame: frame, at: instant) }
    let x = Double(frames.partialValue) / Double(grid.rate)
    let nominal = Int128(frames.partialValue) * 1_000_000_000 / Int128(grid.rate)
    let exactLateness = Int128(instant.nanoseconds) - Int128(originInstant.nanoseconds) - nominal
    let lateness = Double(Int64(clamping: exactLateness))
    let deviation = lateness - estimate.lateness(at: x)
    guard x >= lastX, deviation > -Self.maximumDeviation, deviation < Self.maximumDeviation else {
      return reject(frame: frame, at: instant)
    }
    firstRejection = nil
    let completesBlock = regression.add(
      x: x, lateness: lateness, slope: estimate.slope, endsShortBlock: x <= acquisitionEnd)
    if completesBlock { checkCompletedBlock() }
    updateEstimate()
    slewFit(frame: frame, x: x)
    lastX = x
  }

  /// Restarts the clock if all reports of ``maximumRejectionTime`` were rejected.
  @_noLocks @_noAllocation
  private mutating func reject(frame: Int64, at instant: Instant) {
    let rejectionTime = instant - (firstRejection ?? instant)
    // Of two implausible instants, the second may be the earlier one, or their difference may overflow.
    if firstRejection == nil || rejectionTime < .zero { firstRejection = instant }
    guard rejectionTime >= Self.maximumRejectionTime else { return }
    firstRejection = nil
    restart(frame: frame, at: instant)
  }

  /// Compares the completed block with ``fit``. After two consecutive outliers, removes all blocks except the second outlier
  /// and the block that has just begun.
  @_noLocks @_noAllocation
  private mutating func checkCompletedBlock() {
    // The block of age 0 has just begun.
    let block = regression.block(age: 1)
    let error: Double
    switch noise {
    case .oneSided: error = block.lowestLateness - fitLateness(at: block.lowestX)
    case .symmetric: error = block.meanLateness - fitLateness(at: block.meanX)
    }
    outlierBlocks = error > Self.outlierLimit || error < -Self.outlierLimit ? outlierBlocks &+ 1 : 0
    if outlierBlocks == 0 && regression.span >= Self.trustedSpan {
      (trustedSlope, hasTrustedSlope) = (estimate.slope, true)
    }
    guard outlierBlocks >= 2 else { return }
    outlierBlocks = 0
    regression.removeBlocks(keeping: 2)
    acquisitionEnd = lastX + Self.acquisitionTime
  }

  /// Fits ``estimate`` to the points. Until the blocks span ``slopeSpan``, the slope is ``trustedSlope``. Until they span
  /// ``trustedSpan``, the slope stays within ``slopeTolerance`` of ``trustedSlope``, if there was a trusted slope.
  @_noLocks @_noAllocation
  private mutating func updateEstimate() {
    var (low, high) = (-Self.maximumSlope, Self.maximumSlope)
    if regression.span < Self.slopeSpan {
      (low, high) = (trustedSlope, trustedSlope)
    } else if hasTrustedSlope && regression.span < Self.trustedSpan {
      (low, high) = (trustedSlope - Self.slopeTolerance, trustedSlope + Self.slopeTolerance)
    }
    switch noise {
    case .oneSided: estimate = regression.lowerBound(slopesFrom: low, to: high)
    case .symmetric: estimate = regression.leastSquares(slopesFrom: low, to: high)
    }
  }

  /// Moves ``fit`` toward ``estimate``, by at most ``maximumSlew`` after the acquisition time.
  @_noLocks @_noAllocation
  private mutating func slewFit(frame: Int64, x: Double) {
    var correction = estimate.lateness(at: x) - fitLateness(at: x)
    if x > acquisitionEnd {
      let limit = (x - lastX) * Self.maximumSlew
      if correction > limit { correction = limit }
      if correction < -limit { correction = -limit }
    }
    // Adding or subtracting 0.5 rounds to the nearest nanosecond. Double.rounded() is not available in real-time code.
    let instant = fit.instant(of: frame) + Nanoseconds(Int64(correction < 0 ? correction - 0.5 : correction + 0.5))
    fit = FrameFit(frame: frame, at: instant, grid: grid, drift: estimate.slope / 1e9)
  }

  /// Returns the lateness of ``fit`` at `x`, in nanoseconds.
  @_noLocks @_noAllocation
  private func fitLateness(at x: Double) -> Double {
    let frames = Int64(x * Double(grid.rate) + 0.5)
    let nominal = Int128(frames) * 1_000_000_000 / Int128(grid.rate)
    let instant = fit.instant(of: originFrame &+ frames)
    return Double(Int64(clamping: Int128(instant.nanoseconds) - Int128(originInstant.nanoseconds) - nominal))
  }
}

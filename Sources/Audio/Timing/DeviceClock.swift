public import MusicalTime

/// A sound card's clock: which frame leaves the converter when, learnt from the device's own time stamps.
///
/// Every period the device says which frame is at its converter (frames written less its delay) and at what instant of
/// CLOCK_MONOTONIC it read that. Through these points goes a line over the last 32 s. Adriaensen ("Using a DLL to filter
/// time", LAC 2005) smooths such points by a loop that takes their noise for symmetric. Hardware errs one way: a
/// position read is never ahead of the truth, but it may be old, by the packet (USB 1 ms) or by the timer (snd-aloop 4
/// ms), so the line is laid under the points, as NTP's clock filter goes by the least delayed packet. Sound servers
/// guess in both directions, so for them it is the line of least squares. The slope is kept within 500 ppm of the
/// nominal rate. See ``TimestampRegression`` for both lines.
///
/// What is used is an integer line, ``line``, which follows the fitted one by at most 1 ms a second; only in the first
/// second after a start it may jump. When two blocks of half a second in a row lie more than 2 ms off (frames were
/// skipped unseen), the past is forgotten and it jumps, too.
///
/// Bias: the line says when the freshest positions were read. What a converter does behind its position, mostly 0.2...1
/// ms of filter, no driver tells. Two devices of one kind have the same bias. For ``Stamps/noisy`` it is the mean of the
/// server's guess.
///
/// It reads no clock and knows no device, so a simulated one can drive it. Its size is fixed.
public struct DeviceClock: Sendable {
  /// In which way a device's stamps err.
  public enum Stamps: Sendable, BitwiseCopyable {
    /// A position may be old, never ahead: hardware.
    case stale
    /// Both ways: sound servers.
    case noisy
  }

  public let grid: FrameGrid
  public let stamps: Stamps
  /// The frames as they are to be used.
  ///
  /// Real-time: safe.
  public private(set) var line: FrameFit

  private var window = TimestampRegression()
  private var originFrame: Int64
  private var originInstant: Instant
  /// The fitted line.
  private var fit = TimestampRegression.Line(offset: 0, slope: 0)
  /// The slope as it was last while all blocks agreed, and whether they spanned enough to prove it. It outlives what the
  /// window forgets.
  private var provenSlope = 0.0
  private var isProven = false
  /// Where the last point was, and how long after the origin the line may still jump.
  private var lastX = 0.0
  private var jumpsUntil = DeviceClock.acquisition
  private var strayBlocks = 0
  /// Points in a row that were not believed.
  private var refused = 0

  /// Seconds, nanoseconds a second, nanoseconds.
  private static var acquisition: Double { @_noLocks @_noAllocation get { 1 } }
  private static var maximumSlope: Double { @_noLocks @_noAllocation get { 500_000 } }
  private static var measuredTolerance: Double { @_noLocks @_noAllocation get { 20_000 } }
  private static var trustedSpan: Double { @_noLocks @_noAllocation get { 8 } }
  private static var slew: Double { @_noLocks @_noAllocation get { 1_000_000 } }
  private static var strayLimit: Double { @_noLocks @_noAllocation get { 2_000_000 } }

  /// A clock of the nominal rate of which only the beginning is known: `frame` leaves at about `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(grid: FrameGrid, stamps: Stamps, frame: Int64, at instant: Instant) {
    self.grid = grid
    self.stamps = stamps
    (originFrame, originInstant) = (frame, instant)
    line = FrameFit(frame: frame, at: instant, grid: grid)
  }

  /// How much longer than nominal a second of the device lasts, in parts per million: positive for a slow device.
  ///
  /// Real-time: safe.
  public var drift: Double { @_noLocks @_noAllocation get { fit.slope / 1_000 } }

  /// The stream has stopped and started again: from now on `frame` leaves at about `instant`. The rate is kept.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func restart(frame: Int64, at instant: Instant) {
    window = TimestampRegression()
    (originFrame, originInstant) = (frame, instant)
    fit = .init(offset: 0, slope: provenSlope)
    line = FrameFit(frame: frame, at: instant, grid: grid, drift: provenSlope / 1e9)
    (lastX, strayBlocks, jumpsUntil) = (0, 0, Self.acquisition)
  }

  /// Takes note that at `instant` the device said that `frame` was leaving. A frame before the last one's, or more than
  /// ten seconds from where it should be, is not believed, unless a hundred in a row are like that: then the device
  /// has begun anew there.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func observe(frame: Int64, at instant: Instant) {
    let frames = frame.subtractingReportingOverflow(originFrame)
    guard !frames.overflow, frames.partialValue >= 0 else { return refuse(frame: frame, at: instant) }
    let x = Double(frames.partialValue) / Double(grid.rate)
    let nominal = Int128(frames.partialValue) * 1_000_000_000 / Int128(grid.rate)
    let late = Int128(instant.nanoseconds) - Int128(originInstant.nanoseconds) - nominal
    let u = Double(Int64(clamping: late))
    let off = u - fit.u(at: x)
    guard x >= lastX, off > -1e10, off < 1e10 else { return refuse(frame: frame, at: instant) }
    refused = 0
    if window.add(x: x, u: u, slope: fit.slope) { judge() }
    refit()
    follow(frame: frame, x: x)
    lastX = x
  }

  @_noLocks @_noAllocation
  private mutating func refuse(frame: Int64, at instant: Instant) {
    refused &+= 1
    guard refused >= 100 else { return }
    refused = 0
    restart(frame: frame, at: instant)
  }

  /// Whether the block just completed agrees with the line; after two that do not, only they count.
  @_noLocks @_noAllocation
  private mutating func judge() {
    let block = window.block(age: 1)
    let error: Double
    switch stamps {
    case .stale: error = block.lowestU - lineU(at: block.lowestX)
    case .noisy: error = block.u - lineU(at: block.x)
    }
    strayBlocks = error > Self.strayLimit || error < -Self.strayLimit ? strayBlocks &+ 1 : 0
    if strayBlocks == 0 && window.span >= Self.trustedSpan { (provenSlope, isProven) = (fit.slope, true) }
    guard strayBlocks >= 2 else { return }
    strayBlocks = 0
    window.forget(keeping: 2)
    jumpsUntil = lastX + Self.acquisition
  }

  @_noLocks @_noAllocation
  private mutating func refit() {
    var (low, high) = (-Self.maximumSlope, Self.maximumSlope)
    if window.count < 3 {
      (low, high) = (provenSlope, provenSlope)
    } else if isProven && window.span < Self.trustedSpan {
      (low, high) = (provenSlope - Self.measuredTolerance, provenSlope + Self.measuredTolerance)
    }
    switch stamps {
    case .stale: fit = window.floor(slopesFrom: low, to: high)
    case .noisy: fit = window.mean(slopesFrom: low, to: high)
    }
  }

  /// Brings ``line`` nearer to the fitted one.
  @_noLocks @_noAllocation
  private mutating func follow(frame: Int64, x: Double) {
    let present = lineU(at: x)
    var correction = fit.u(at: x) - present
    if x > jumpsUntil {
      let limit = (x - lastX) * Self.slew
      if correction > limit { correction = limit }
      if correction < -limit { correction = -limit }
    }
    let instant = line.instant(of: frame) + Nanoseconds(Int64(correction < 0 ? correction - 0.5 : correction + 0.5))
    line = FrameFit(frame: frame, at: instant, grid: grid, drift: fit.slope / 1e9)
  }

  /// By how much ``line`` is later than nominal at `x` seconds.
  @_noLocks @_noAllocation
  private func lineU(at x: Double) -> Double {
    let frames = Int64(x * Double(grid.rate) + 0.5)
    let nominal = Int128(frames) * 1_000_000_000 / Int128(grid.rate)
    let instant = line.instant(of: originFrame &+ frames)
    return Double(Int64(clamping: Int128(instant.nanoseconds) - Int128(originInstant.nanoseconds) - nominal))
  }
}

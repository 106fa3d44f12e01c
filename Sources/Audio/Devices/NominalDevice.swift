public import MusicalTime

/// A sound card that never drifts, as a rule for when to render and for which hits come in time: two periods of 256 frames
/// on the grid.
///
/// While one period sounds the other is rendered: when the clock passes the start of period P (P a multiple of 256), the
/// period that begins at P + 256 is taken, with the hits handed over by then. Whether a hit is late is decided by when it
/// was handed over, not by when this machine finds the time to render: a recording, unlike a converter, can wait for its
/// renderer. Who comes so late that a converter would have run empty catches up, and is counted; who stayed away for
/// longer than ``patience`` (a stopped peer) finds silence there instead.
///
/// It reads no clock, so a virtual one can drive it.
public struct NominalDevice: Sendable {
  /// Frames a period.
  public static var period: Int64 { @_noLocks @_noAllocation get { 256 } }

  /// How late a period may be rendered.
  public static var patience: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  /// What the card asks for.
  public enum Request: Hashable, Sendable, BitwiseCopyable {
    /// Nothing to do before this instant.
    case wait(until: Instant)
    /// The period that begins at this frame.
    case render(from: Int64)
    /// The same, the first of those that a converter would have had to play already.
    case renderLate(from: Int64)
    /// Nobody came for too long: silence for so many frames.
    case underrun(from: Int64, frames: Int64)
  }

  public let grid: FrameGrid
  /// The first frame not asked for yet, a multiple of 256.
  ///
  /// Real-time: safe.
  public private(set) var next: Int64
  private var isBehind = false

  /// A card that begins with the first period boundary at or after `start`.
  public init(grid: FrameGrid, notBefore start: Instant) {
    self.grid = grid
    next = Self.firstBoundary(atOrAfter: grid.firstFrame(notBefore: start))
  }

  /// How long before its instant a hit must be known to sound on its frame: two periods.
  ///
  /// Real-time: safe.
  public var lead: Nanoseconds {
    @_noLocks @_noAllocation get { grid.instant(of: 2 &* Self.period) - grid.instant(of: 0) }
  }

  /// What the card wants at `now`. Ask again until it says wait.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func step(at now: Instant) -> Request {
    let due = grid.instant(of: next &- Self.period)
    if now < due { return .wait(until: due) }
    let frame = next
    let begin = grid.instant(of: frame)
    if now < begin + Self.patience {
      next = frame &+ Self.period
      let wasBehind = isBehind
      isBehind = now >= begin
      return isBehind && !wasBehind ? .renderLate(from: frame) : .render(from: frame)
    }
    isBehind = false
    next = Self.firstBoundary(atOrAfter: grid.firstFrame(notBefore: now + Nanoseconds(1)))
    return .underrun(from: frame, frames: next &- frame)
  }

  /// The first frame on which a hit handed over at `instant` can sound: that of the first period taken after it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  static func firstFrame(takenAfter instant: Instant, on grid: FrameGrid) -> Int64 {
    firstBoundary(atOrAfter: grid.firstFrame(notBefore: instant)) &+ period
  }

  @_noLocks @_noAllocation
  private static func firstBoundary(atOrAfter frame: Int64) -> Int64 { (frame &+ (period &- 1)) & ~(period &- 1) }
}

public import MusicalTime

/// A sound card that never drifts, as a rule for when to render: two periods of 256 frames on the grid.
///
/// While one period sounds the other is rendered: when the clock passes the start of period P, the period that begins
/// at P + 256 is due. If nobody asks until that one should have begun, the card has run empty: as one that is stopped
/// and started again, it plays silence for ``restart`` frames more, and goes on with periods that begin there.
///
/// It reads no clock, so a virtual one can drive it.
public struct SteadyCard: Sendable {
  /// Frames a period.
  public static var period: Int64 { @_noLocks @_noAllocation get { 256 } }

  /// Frames that a card started again plays before the first it is given: two thirds of a millisecond, in which a
  /// period can be rendered.
  public static var restart: Int64 { @_noLocks @_noAllocation get { 32 } }

  /// What the card asks for.
  public enum Request: Hashable, Sendable, BitwiseCopyable {
    /// Nothing to do before this instant.
    case wait(until: Instant)
    /// The period that begins at this frame.
    case render(from: Int64)
    /// The card has run empty: silence for so many frames.
    case underrun(from: Int64, frames: Int64)
  }

  public let grid: FrameGrid
  /// The first frame not asked for yet.
  ///
  /// Real-time: safe.
  public private(set) var next: Int64

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
    if now < grid.instant(of: frame) {
      next = frame &+ Self.period
      return .render(from: frame)
    }
    next = grid.firstFrame(notBefore: now) &+ Self.restart
    return .underrun(from: frame, frames: next &- frame)
  }

  @_noLocks @_noAllocation
  private static func firstBoundary(atOrAfter frame: Int64) -> Int64 { (frame &+ (period &- 1)) & ~(period &- 1) }
}

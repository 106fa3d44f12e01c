public import MusicalTime

/// A model of a sound card without drift, with a buffer of two periods of 256 frames. It decides when a period of a recording is
/// rendered and which hits are in time.
///
/// While one period sounds, the other one is rendered: when the clock passes frame P (a multiple of 256), the device requests the
/// period that begins at P + 256, with the hits submitted until then.
///
/// A recording, unlike a converter, can wait for its renderer. Therefore the instant at which a hit was submitted decides whether
/// the hit is late, not the instant at which this machine renders. If the renderer is so late that a converter would have run
/// empty, all periods are still rendered, and one underrun is counted. If the renderer is late by ``maximumLateness`` or more, for
/// example because the process was stopped, the missed frames become silence.
///
/// The model reads no clock, so a virtual clock can drive it.
public struct NominalDevice: Sendable {
  /// Frames per period: four blocks (``StereoBlock/length``).
  ///
  /// Real-time: safe.
  public static var period: Int64 { @_noLocks @_noAllocation get { 256 } }

  /// A period that is late by this duration or more is not rendered.
  ///
  /// Real-time: safe.
  public static var maximumLateness: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  /// The next action that the device requests.
  public enum Request: Hashable, Sendable, BitwiseCopyable {
    /// Nothing is due before this instant.
    case wait(until: Instant)
    /// Render the period that begins at this frame.
    case render(from: Int64)
    /// Render the period that begins at this frame. A converter would already have run empty. Only the first period of
    /// such an underrun is requested in this way.
    case renderLate(from: Int64)
    /// The renderer was late by ``NominalDevice/maximumLateness`` or more: the `frames` frames from `from` on are silence.
    case underrun(from: Int64, frames: Int64)
  }

  public let grid: FrameGrid
  /// The first frame that has not been requested, a multiple of 256.
  ///
  /// Real-time: safe.
  public private(set) var next: Int64
  /// Whether the last period was requested too late: at or after the instant of its first frame.
  private var isBehind = false

  /// Creates a device that begins at the first period boundary at or after `start`.
  ///
  /// Real-time: not safe.
  public init(grid: FrameGrid, notBefore start: Instant) {
    self.grid = grid
    next = Self.firstBoundary(atOrAfter: grid.firstFrame(notBefore: start))
  }

  /// How long before its instant a hit must be submitted to sound on its frame: two periods.
  ///
  /// Real-time: safe.
  public var lead: Nanoseconds {
    @_noLocks @_noAllocation get { grid.instant(of: 2 &* Self.period) - grid.instant(of: 0) }
  }

  /// Returns the request of the device at `now`. Call the function again until it returns ``Request/wait(until:)``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func step(at now: Instant) -> Request {
    let due = grid.instant(of: next &- Self.period)
    if now < due { return .wait(until: due) }
    let frame = next
    let soundsAt = grid.instant(of: frame)
    if now < soundsAt + Self.maximumLateness {
      next = frame &+ Self.period
      let wasBehind = isBehind
      isBehind = now >= soundsAt
      return isBehind && !wasBehind ? .renderLate(from: frame) : .render(from: frame)
    }
    isBehind = false
    // Playback continues at the first period boundary after `now`.
    next = Self.firstBoundary(atOrAfter: grid.firstFrame(notBefore: now + Nanoseconds(1)))
    return .underrun(from: frame, frames: next &- frame)
  }

  /// Returns the first frame on which an event submitted at `instant` can sound. At the first period boundary at
  /// or after `instant`, the device requests the period that begins one period after the boundary. The result is the first frame of the
  /// requested period.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package static func firstFrame(submittedAt instant: Instant, on grid: FrameGrid) -> Int64 {
    firstBoundary(atOrAfter: grid.firstFrame(notBefore: instant)) &+ period
  }

  /// Returns the first multiple of ``period``, a power of two, that is not less than `frame`.
  @_noLocks @_noAllocation
  private static func firstBoundary(atOrAfter frame: Int64) -> Int64 { (frame &+ (period &- 1)) & ~(period &- 1) }
}

public import MusicalTime

/// Frames tied to instants by a straight line: one frame, the instant at which it sounds, and how long a frame lasts.
///
/// Products are 128 bits wide and a frame's length is known to 2^-32 ns, so an hour from its anchor the line is as
/// exact as there.
public struct FrameFit: Hashable, Sendable, BitwiseCopyable {
  /// The anchor: this frame sounds at ``instant``.
  public let frame: Int64
  public let instant: Instant
  /// How long a frame lasts, in 2^-32 ns; more than 0.
  let frameLength: Int64

  /// The line through an anchor on which frames last `1 + drift` times as long as at `grid`'s rate.
  ///
  /// - Parameter drift: -0.001...0.001; beyond that, and when it is not a number, the nearest of these.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(frame: Int64, at instant: Instant, grid: FrameGrid, drift: Double = 0) {
    let bounded = drift < -0.001 ? -0.001 : drift > 0.001 ? 0.001 : drift == drift ? drift : 0
    let nominal = (Int128(1_000_000_000) &<< 32) / Int128(grid.rate)
    self.frame = frame
    self.instant = instant
    frameLength = Int64(truncatingIfNeeded: nominal) &+ Int64(bounded * Double(Int64(truncatingIfNeeded: nominal)))
  }

  /// When `frame` sounds, rounded down. Saturates at the ends of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    let length = ((Int128(frame) - Int128(self.frame)) * Int128(frameLength)) &>> 32
    return Instant(nanoseconds: Self.saturate(Int128(instant.nanoseconds) + length))
  }

  /// The frame that sounds nearest to `instant`: `frame(nearest: instant(of: n)) == n`. Saturates at the ends of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    let length = (Int128(instant.nanoseconds) - Int128(self.instant.nanoseconds)) &<< 32
    let dividend = length + Int128(frameLength) / 2
    let quotient = dividend / Int128(frameLength)
    let frames = dividend < quotient * Int128(frameLength) ? quotient - 1 : quotient
    return Self.saturate(Int128(frame) + frames)
  }

  @_noLocks @_noAllocation
  private static func saturate(_ value: Int128) -> Int64 {
    if value > Int128(Int64.max) { return .max }
    if value < Int128(Int64.min) { return .min }
    return Int64(truncatingIfNeeded: value)
  }
}

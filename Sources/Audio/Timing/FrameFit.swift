public import MusicalTime

/// A linear conversion between frames and instants: an anchor frame, the instant at which it sounds, and the length of a frame.
///
/// Products are 128 bits wide and the length has a resolution of 2^-32 ns, so the line is as exact an hour from its anchor
/// as at the anchor.
public struct FrameFit: Hashable, Sendable, BitwiseCopyable {
  /// The anchor frame.
  public let frame: Int64
  /// The instant at which ``frame`` sounds.
  public let instant: Instant
  /// The length of a frame in units of 2^-32 ns, greater than 0. A shift by 32 bits converts from or to nanoseconds.
  let frameLength: Int64

  /// Creates a line through `frame` at `instant` with frames `1 + drift` times as long as those of `grid`.
  ///
  /// - Parameter drift: Limited to -0.001...0.001. NaN counts as 0.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(frame: Int64, at instant: Instant, grid: FrameGrid, drift: Double = 0) {
    // The comparison of NaN with itself is false.
    let bounded = drift < -0.001 ? -0.001 : drift > 0.001 ? 0.001 : drift == drift ? drift : 0
    let nominal = (Int128(1_000_000_000) &<< 32) / Int128(grid.rate)
    self.frame = frame
    self.instant = instant
    frameLength = Int64(truncatingIfNeeded: nominal) &+ Int64(bounded * Double(Int64(truncatingIfNeeded: nominal)))
  }

  /// Returns the instant at which `frame` sounds, rounded down. Saturates at the limits of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    let length = ((Int128(frame) - Int128(self.frame)) * Int128(frameLength)) &>> 32
    return Instant(nanoseconds: Self.saturate(Int128(instant.nanoseconds) + length))
  }

  /// Returns the frame that sounds nearest to `instant`: `frame(nearest: instant(of: n)) == n`. Saturates at the limits of
  /// Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    let length = (Int128(instant.nanoseconds) - Int128(self.instant.nanoseconds)) &<< 32
    // Adding half a frame and dividing with rounding down gives the nearest frame. The operator / rounds toward zero, so a
    // negative quotient is corrected.
    let dividend = length + Int128(frameLength) / 2
    let quotient = dividend / Int128(frameLength)
    let frames = dividend < quotient * Int128(frameLength) ? quotient - 1 : quotient
    return Self.saturate(Int128(frame) + frames)
  }

  /// Returns `value`, limited to the range of Int64.
  @_noLocks @_noAllocation
  private static func saturate(_ value: Int128) -> Int64 {
    if value > Int128(Int64.max) { return .max }
    if value < Int128(Int64.min) { return .min }
    return Int64(truncatingIfNeeded: value)
  }
}

/// The conversion between frames and instants, and the rule for the first frame on which an event can still sound.
public enum FrameMap: Hashable, Sendable, BitwiseCopyable {
  /// A device without drift, such as a WAV file that is being written. The submission instant decides whether a hit is late, see
  /// ``NominalDevice``.
  case grid(FrameGrid)
  /// A sound card with its own clock, see ``DeviceClock``. A hit can sound on any frame that has not been written.
  case fit(FrameFit)

  /// Returns the instant at which `frame` sounds.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    switch self {
    case .grid(let grid): grid.instant(of: frame)
    case .fit(let fit): fit.instant(of: frame)
    }
  }

  /// Returns the frame that sounds nearest to `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    switch self {
    case .grid(let grid): grid.frame(nearest: instant)
    case .fit(let fit): fit.frame(nearest: instant)
    }
  }

  /// Returns the first frame on which `event` can sound. On a sound card, this is `next`, the first frame that has not been
  /// written. On a device without drift, the instant of the submission decides (``NominalDevice/firstFrame(submittedAt:on:)``).
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func firstFrame(for event: SoundEvent, notBefore next: Int64) -> Int64 {
    guard case .grid(let grid) = self else { return next }
    return NominalDevice.firstFrame(submittedAt: event.submitted, on: grid)
  }
}

public import MusicalTime

/// The frames of a sound card without drift: frame n sounds at `n * 10^9 / rate` nanoseconds of CLOCK_MONOTONIC, rounded
/// down. Frame 0 is at the origin of the clock.
///
/// Products are 128 bits wide, so frame 10^12 is as exact as frame 1. Recordings of several peers on one machine use the
/// same grid and line up frame by frame, independently of when each recording began.
public struct FrameGrid: Hashable, Sendable, BitwiseCopyable {
  /// Frames per second.
  public let rate: Int64

  /// 48 000 frames per second.
  public static let standard = FrameGrid(uncheckedRate: 48_000)

  /// - Returns: nil unless `rate` is 8000...96000 frames per second, the range of FluidSynth.
  ///
  /// Real-time: not safe.
  public init?(rate: Int64) {
    guard (8_000...96_000).contains(rate) else { return nil }
    self.init(uncheckedRate: rate)
  }

  private init(uncheckedRate rate: Int64) { self.rate = rate }

  /// Returns the instant at which `frame` sounds. Saturates at the limits of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    let nanoseconds = floorDivide(Int128(frame) * 1_000_000_000, by: Int128(rate))
    if nanoseconds > Int128(Int64.max) { return Instant(nanoseconds: .max) }
    if nanoseconds < Int128(Int64.min) { return Instant(nanoseconds: .min) }
    return Instant(nanoseconds: Int64(truncatingIfNeeded: nanoseconds))
  }

  /// Returns the frame that sounds nearest to `instant`: `frame(nearest: instant(of: n)) == n`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    let product = Int128(instant.nanoseconds) * Int128(rate)
    // Adding half of the divisor rounds to the nearest frame.
    return Int64(truncatingIfNeeded: floorDivide(product + 500_000_000, by: 1_000_000_000))
  }

  /// Returns the first frame that sounds at or after `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func firstFrame(notBefore instant: Instant) -> Int64 {
    let product = Int128(instant.nanoseconds) * Int128(rate)
    // Adding the divisor minus 1 rounds up.
    return Int64(truncatingIfNeeded: floorDivide(product + 999_999_999, by: 1_000_000_000))
  }

  /// Divides and rounds down. The operator / rounds toward zero.
  @_noLocks @_noAllocation
  private func floorDivide(_ dividend: Int128, by divisor: Int128) -> Int128 {
    let quotient = dividend / divisor
    return dividend < quotient * divisor ? quotient - 1 : quotient
  }
}

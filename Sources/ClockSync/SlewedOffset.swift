public import MusicalTime

/// The clock offset a follower plays by. It goes towards the estimated offset so slowly that nobody hears it, at most
/// 0.4 % of the time that passes (a tempo change of 0.5 % is below what listeners notice), and jumps only when nothing
/// sounds or when it is more than `jump` off: then the music is in the wrong place anyway.
public struct SlewedOffset: Sendable {
  /// Nanoseconds of time per nanosecond of correction.
  static let slowness: Int64 = 250

  /// The offset in use, remote minus own; nil before the first estimate.
  public private(set) var value: Nanoseconds?
  private var updated = Instant(nanoseconds: 0)

  public init() {}

  /// Takes a new estimate and gives the offset to play by from `now` on.
  ///
  /// - Parameter jump: an error beyond this is corrected at once; nil when nothing sounds, so that any error is.
  ///
  /// Real-time: not safe.
  @discardableResult
  public mutating func steer(to estimate: Nanoseconds, at now: Instant, jump: Nanoseconds?) -> Nanoseconds {
    defer { updated = now }
    guard let current = value, let jump, (estimate - current).magnitude <= jump else {
      value = estimate
      return estimate
    }
    let most = max(0, (now - updated).count / Self.slowness)
    let step = min(max((estimate - current).count, -most), most)
    let steered = current + Nanoseconds(step)
    value = steered
    return steered
  }
}

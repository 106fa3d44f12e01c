public import MusicalTime

/// The remote clock that a follower plays by. It slews towards the estimated clock so slowly that the change of tempo
/// is not audible, and continues at the last rate when no more estimates arrive.
///
/// A small error is corrected over ``correctionTime``. A larger error is corrected at the rate ``maximumCorrection``, which is 0.4 %,
/// because listeners notice a change of tempo from about 0.5 %. After the correction, the estimated rate applies.
///
/// Each estimate restarts the correction of the remaining error. With a new estimate every few hundredths of a second,
/// a small error therefore decays exponentially, to about a third within each ``correctionTime``. The clock jumps only
/// if nothing sounds, or if the error exceeds a given limit. Beyond this limit, the music is at the wrong position, and
/// a jump is better than a long correction.
public struct SlewedClock: Sendable {
  /// The time over which a small error is corrected.
  public static let correctionTime = Nanoseconds.milliseconds(500)
  /// The largest rate of a correction, in parts per million of the elapsed time.
  public static let maximumCorrection = 4000.0

  /// The mapping in use; nil before the first estimate.
  public private(set) var mapping: ClockMapping?
  /// How often the clock jumped while something sounded.
  public private(set) var jumps = 0

  public init() {}

  /// Steers towards a new estimate.
  ///
  /// - Parameters:
  ///   - estimate: the estimate at `now`.
  ///   - now: the current local time.
  ///   - jump: an error larger than this is corrected at once; nil if nothing sounds, so that every error is corrected
  ///     at once.
  ///
  /// Real-time: not safe.
  public mutating func steer(to estimate: ClockEstimate, at now: Instant, jump: Nanoseconds?) {
    let target = ClockLine(local: now, remote: now + estimate.offset, skew: estimate.skew)
    guard let mapping, let jump else {
      self.mapping = ClockMapping(target)
      return
    }
    let present = mapping.remote(at: now)
    let error = target.remote - present
    guard error.magnitude <= jump else {
      jumps += 1
      self.mapping = ClockMapping(target)
      return
    }
    let requestedRate = Double(error.count) / Double(Self.correctionTime.count) * 1e6
    let correction = min(max(requestedRate, -Self.maximumCorrection), Self.maximumCorrection)
    // The duration of the correction: `correctionTime`, or longer if the rate would exceed the limit.
    let duration =
      abs(requestedRate) <= Self.maximumCorrection
      ? Double(Self.correctionTime.count) : Double(error.count) / correction * 1e6
    let end = now + Nanoseconds(Int64(duration))
    let line = ClockLine(local: now, remote: present, skew: estimate.skew + correction)
    self.mapping = ClockMapping(
      line, then: ClockLine(local: end, remote: line.remote(at: end), skew: estimate.skew))
  }
}

public import MusicalTime

/// The remote clock that a follower plays by, a flywheel: it goes towards the estimated one so gently that nobody hears it,
/// and goes on by itself when nothing more is heard.
///
/// An error is made good within ``horizon``, but never at more than ``steepest`` of the time that passes (listeners
/// notice a change of tempo from about 0.5 % on), and from then on the estimated rate holds: with a new estimate every few
/// hundredths of a second an error falls to a third in each horizon. It jumps only when nothing sounds, or when it is more than `jump`
/// off: then the music is in the wrong place anyway.
public struct SlewedClock: Sendable {
  /// The time in which a small error is made good.
  public static let horizon = Nanoseconds.milliseconds(500)
  /// Parts per million of the time that passes that a correction may take.
  public static let steepest = 4000.0

  /// The clock in use; nil before the first estimate.
  public private(set) var mapping: ClockMapping?
  /// How often it jumped while something sounded.
  public private(set) var jumps = 0

  public init() {}

  /// Takes a new estimate.
  ///
  /// - Parameter jump: an error beyond this is corrected at once; nil when nothing sounds, so that any error is.
  ///
  /// Real-time: not safe.
  public mutating func steer(to estimate: ClockEstimate, at now: Instant, jump: Nanoseconds?) {
    let goal = ClockLine(own: now, remote: now + estimate.offset, skew: estimate.skew)
    guard let mapping, let jump else {
      self.mapping = ClockMapping(goal)
      return
    }
    let present = mapping.remote(at: now)
    let error = goal.remote - present
    guard error.magnitude <= jump else {
      jumps += 1
      self.mapping = ClockMapping(goal)
      return
    }
    let wanted = Double(error.count) / Double(Self.horizon.count) * 1e6
    let correction = min(max(wanted, -Self.steepest), Self.steepest)
    // How long the correction takes: the horizon, or longer when that would be too fast.
    let length = abs(wanted) <= Self.steepest ? Double(Self.horizon.count) : Double(error.count) / correction * 1e6
    let bend = now + Nanoseconds(Int64(length))
    let line = ClockLine(own: now, remote: present, skew: estimate.skew + correction)
    self.mapping = ClockMapping(
      line, then: ClockLine(own: bend, remote: line.remote(at: bend), skew: estimate.skew))
  }
}

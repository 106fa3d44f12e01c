public import MusicalTime

/// A remote clock beside the own one: a reference point, where both showed something, and a rate. Exact integers, so
/// that real-time threads can use it, and nothing is accumulated.
public struct ClockLine: Hashable, Sendable, BitwiseCopyable {
  /// The own clock at the reference point.
  public let own: Instant
  /// The remote clock at the same moment.
  public let remote: Instant
  /// What the remote clock gains in 2^40 ns of the own, and the own clock in 2^40 ns of the remote.
  private let gain: Int64
  private let loss: Int64

  /// Two clocks that are one.
  ///
  /// Real-time: safe.
  public static var identity: ClockLine {
    @_noLocks @_noAllocation get {
      ClockLine(own: Instant(nanoseconds: 0), remote: Instant(nanoseconds: 0), gain: 0, loss: 0)
    }
  }

  @_noLocks @_noAllocation
  private init(own: Instant, remote: Instant, gain: Int64, loss: Int64) {
    (self.own, self.remote, self.gain, self.loss) = (own, remote, gain, loss)
  }

  /// - Parameter skew: how much faster the remote clock goes, parts per million; at most 10 000 either way.
  ///
  /// Real-time: not safe.
  public init(own: Instant, remote: Instant, skew: Double) {
    let part = min(max(skew, -10_000), 10_000) / 1e6
    let unit = Double(1 << 40)
    self.init(
      own: own, remote: remote, gain: Int64((part * unit).rounded()),
      loss: Int64((-part / (1 + part) * unit).rounded()))
  }

  /// How much faster the remote clock goes, parts per million.
  public var skew: Double { Double(gain) / Double(1 << 40) * 1e6 }

  /// What the remote clock shows when the own one shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func remote(at instant: Instant) -> Instant { Self.map(instant, from: own, to: remote, by: gain) }

  /// What the own clock shows when the remote one shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func own(at instant: Instant) -> Instant { Self.map(instant, from: remote, to: own, by: loss) }

  /// The ends of time stay what they are: they stand for never.
  @_noLocks @_noAllocation
  private static func map(_ instant: Instant, from: Instant, to: Instant, by gain: Int64) -> Instant {
    if instant.nanoseconds == .max || instant.nanoseconds == .min { return instant }
    let (distance, isFar) = instant.nanoseconds.subtractingReportingOverflow(from.nanoseconds)
    let end = Instant(nanoseconds: instant > from ? .max : .min)
    if isFar { return end }
    let product = distance.multipliedFullWidth(by: gain)
    // Divided by 2^40; the gain is at most a hundredth, so it fits.
    let more = (product.high << 24) | Int64(truncatingIfNeeded: product.low >> 40)
    let (length, isLong) = distance.addingReportingOverflow(more)
    let (sum, overflows) = to.nanoseconds.addingReportingOverflow(length)
    return isLong || overflows ? end : Instant(nanoseconds: sum)
  }
}

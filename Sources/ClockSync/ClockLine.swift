public import MusicalTime

/// A linear mapping between the local and a remote clock. It consists of a reference point, which is one instant on both
/// clocks, and a rate. Real-time threads can evaluate the mapping. The evaluation uses exact integers and begins at the
/// reference point, so errors do not accumulate.
public struct ClockLine: Hashable, Sendable, BitwiseCopyable {
  /// The local clock at the reference point.
  public let local: Instant
  /// The remote clock at the reference point.
  public let remote: Instant
  /// The nanoseconds that the remote clock gains in 2^40 ns of the local clock.
  private let gain: Int64
  /// The nanoseconds that the local clock gains in 2^40 ns of the remote clock. The sign is opposite to that of `gain`.
  private let loss: Int64

  /// The mapping between two identical clocks.
  ///
  /// Real-time: safe.
  public static var identity: ClockLine {
    @_noLocks @_noAllocation get {
      ClockLine(local: Instant(nanoseconds: 0), remote: Instant(nanoseconds: 0), gain: 0, loss: 0)
    }
  }

  @_noLocks @_noAllocation
  private init(local: Instant, remote: Instant, gain: Int64, loss: Int64) {
    (self.local, self.remote, self.gain, self.loss) = (local, remote, gain, loss)
  }

  /// Creates the mapping through a reference point.
  ///
  /// - Parameters:
  ///   - local: the local clock at the reference point.
  ///   - remote: the remote clock at the reference point.
  ///   - skew: the skew of the remote clock in parts per million, clamped to -10 000...10 000.
  ///
  /// Real-time: not safe.
  public init(local: Instant, remote: Instant, skew: Double) {
    let relativeSkew = min(max(skew, -10_000), 10_000) / 1e6
    let unit = Double(1 << 40)
    // The remote clock runs at 1 + s times the local rate, where s is the relative skew. The local clock therefore runs
    // at 1 / (1 + s) = 1 - s / (1 + s) times the remote rate.
    self.init(
      local: local, remote: remote, gain: Int64((relativeSkew * unit).rounded()),
      loss: Int64((-relativeSkew / (1 + relativeSkew) * unit).rounded()))
  }

  /// The skew of the remote clock, parts per million.
  ///
  /// Real-time: not safe.
  public var skew: Double { Double(gain) / Double(1 << 40) * 1e6 }

  /// The remote time when the local clock shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func remote(at instant: Instant) -> Instant { Self.map(instant, from: local, to: remote, by: gain) }

  /// The local time when the remote clock shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func local(at instant: Instant) -> Instant { Self.map(instant, from: remote, to: local, by: loss) }

  /// Maps `instant` from the clock whose reference point is `from` to the clock whose reference point is `to`. `gain` is
  /// the nanoseconds that the second clock gains in 2^40 ns of the first one.
  ///
  /// The smallest and the largest instant map to themselves, because both mean "never". A result out of range becomes
  /// the smallest or the largest instant.
  @_noLocks @_noAllocation
  private static func map(_ instant: Instant, from: Instant, to: Instant, by gain: Int64) -> Instant {
    if instant.nanoseconds == .max || instant.nanoseconds == .min { return instant }
    let (distance, overflowsDistance) = instant.nanoseconds.subtractingReportingOverflow(from.nanoseconds)
    let limit = Instant(nanoseconds: instant > from ? .max : .min)
    if overflowsDistance { return limit }
    let product = distance.multipliedFullWidth(by: gain)
    // Division by 2^40: the 128-bit product is shifted right by 40 bits, so that its high half moves left by 64 - 40
    // bits. The gain is at most about a hundredth of 2^40, so the quotient fits.
    let change = (product.high << 24) | Int64(truncatingIfNeeded: product.low >> 40)
    let (mappedDistance, overflowsMapped) = distance.addingReportingOverflow(change)
    let (sum, overflowsSum) = to.nanoseconds.addingReportingOverflow(mappedDistance)
    return overflowsMapped || overflowsSum ? limit : Instant(nanoseconds: sum)
  }
}

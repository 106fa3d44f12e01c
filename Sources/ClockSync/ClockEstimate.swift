public import MusicalTime

/// The estimate of another peer's clock at one moment. The terms offset and skew are those of NTP (RFC 5905).
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
  /// The remote clock minus the local clock.
  public var offset: Nanoseconds
  /// The skew: the rate of the remote clock divided by the rate of the local clock, minus 1, in parts per million.
  public var skew: Double
  /// The largest possible error of `offset`, positive or negative. Packets show only the sum of the delays of both
  /// directions. The share of one direction can be anything between zero and the whole sum.
  public var uncertainty: Nanoseconds
  /// The standard deviation of `offset`, under the assumption that both directions of the route have the same delay.
  public var deviation: Nanoseconds

  public init(offset: Nanoseconds, skew: Double = 0, uncertainty: Nanoseconds, deviation: Nanoseconds = .zero) {
    self.offset = offset
    self.skew = skew
    self.uncertainty = uncertainty
    self.deviation = deviation
  }
}

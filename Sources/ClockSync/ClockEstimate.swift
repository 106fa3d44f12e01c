public import MusicalTime

/// The estimate of another peer's clock at one moment. Offset, skew and delay as in NTP (RFC 5905).
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
  /// The remote clock minus the local clock.
  public var offset: Nanoseconds
  /// The skew: the rate of the remote clock relative to the local clock minus 1, parts per million.
  public var skew: Double
  /// The largest possible error of `offset` on either side. How the measured delay is divided between the two directions
  /// of the route cannot be observed: the share of one direction is anything between zero and all of the delay.
  public var uncertainty: Nanoseconds
  /// The standard deviation of `offset`, if both directions of the route have the same delay.
  public var deviation: Nanoseconds

  public init(offset: Nanoseconds, skew: Double = 0, uncertainty: Nanoseconds, deviation: Nanoseconds = .zero) {
    self.offset = offset
    self.skew = skew
    self.uncertainty = uncertainty
    self.deviation = deviation
  }
}

public import MusicalTime

/// What is believed of another peer's clock at one moment.
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
  /// The remote clock minus the own one.
  public var offset: Nanoseconds
  /// How much faster the remote clock goes, parts per million.
  public var skew: Double
  /// How far `offset` may be off on either side, given that the route's two directions are anything between nothing and
  /// all of the delay seen. It says nothing about a route that is longer one way than the other beyond that.
  public var uncertainty: Nanoseconds
  /// How far `offset` is likely off if both directions of the route take equally long: one standard deviation.
  public var deviation: Nanoseconds

  public init(offset: Nanoseconds, skew: Double = 0, uncertainty: Nanoseconds, deviation: Nanoseconds = .zero) {
    self.offset = offset
    self.skew = skew
    self.uncertainty = uncertainty
    self.deviation = deviation
  }
}

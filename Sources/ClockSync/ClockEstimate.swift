public import MusicalTime

/// What is believed of another peer's clock.
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
  /// The remote clock minus the own one.
  public var offset: Nanoseconds
  /// How far `offset` may be off on either side, given that the route's two directions are anything between nothing and
  /// all of the delay seen. It says nothing about a route that is longer one way than the other beyond that.
  public var uncertainty: Nanoseconds

  public init(offset: Nanoseconds, uncertainty: Nanoseconds) {
    self.offset = offset
    self.uncertainty = uncertainty
  }
}

public import MusicalTime

/// A change of the mix at a tick.
public struct MixChange: Hashable, Sendable, BitwiseCopyable {
  /// The mix from ``tick`` on.
  public var mix: Mix
  public var tick: Tick

  public init(mix: Mix, tick: Tick) { (self.mix, self.tick) = (mix, tick) }
}

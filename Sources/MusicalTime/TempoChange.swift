/// A change of tempo at a tick.
public struct TempoChange: Hashable, Sendable, BitwiseCopyable {
  /// The new tempo.
  public var tempo: Tempo
  /// The first tick at the new tempo.
  public var tick: Tick

  /// Creates a change to `tempo` at `tick`.
  ///
  /// Real-time: not safe.
  public init(tempo: Tempo, tick: Tick) {
    self.tempo = tempo
    self.tick = tick
  }
}

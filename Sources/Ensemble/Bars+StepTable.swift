public import Playback
public import Rhythm

extension Bars {
  /// The bars of a pattern.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: borrowing StepTable) {
    self.init(stepsPerBar: Int64(table.stepsPerBar), stepsPerPattern: Int64(table.stepCount))
  }
}

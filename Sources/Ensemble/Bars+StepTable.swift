public import Playback
public import Rhythm

extension Bars {
  /// Creates a value with the length of a bar and the length of the pattern of a step table.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: borrowing StepTable) {
    self.init(stepsPerBar: Int64(table.stepsPerBar), stepsPerPattern: Int64(table.stepCount))
  }
}

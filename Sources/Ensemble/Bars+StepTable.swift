public import Playback
public import Rhythm

extension Bars {
  /// Creates the value for the rhythm of a step table, from the length of a bar and of the pattern.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: borrowing StepTable) {
    self.init(stepsPerBar: Int64(table.stepsPerBar), stepsPerPattern: Int64(table.stepCount))
  }
}

public import MIDI
public import MusicalTime
public import Rhythm

/// Where bars begin, and how long the pattern is: what a device that comes late has to know of the rhythm. Small, so that
/// a tick does not carry the whole ``StepTable`` about.
public struct Bars: Sendable, BitwiseCopyable {
  private let stepsPerBar: Int64
  private let stepsPerPattern: Int64

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: borrowing StepTable) {
    stepsPerBar = Int64(table.stepsPerBar)
    stepsPerPattern = Int64(table.stepCount)
  }

  /// Song Position for `step`. It has 14 bits: the place modulo the largest multiple of the pattern's length that fits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func songPosition(of step: Step) -> UInt14 {
    UInt14(clamping: Int(step.index % (16384 / stepsPerPattern * stepsPerPattern)))
  }

  /// Whether a receiver that was not there at the start of `plan` can begin at `tick`: on a bar. At the start everybody
  /// can.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func begins(at tick: Tick, of plan: Plan) -> Bool {
    tick == plan.start || tick.index % (stepsPerBar * Tick.perStep) == 0
  }
}

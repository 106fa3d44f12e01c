import Ensemble
import MIDI
import MusicalTime
import Rhythm

extension StepTable {
  /// Song Position for `step`. It has 14 bits: the place modulo the largest multiple of the pattern's length that fits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func songPosition(of step: Step) -> UInt14 {
    let pattern = Int64(stepCount)
    return UInt14(clamping: Int(step.index % (16384 / pattern * pattern)))
  }

  /// Whether a receiver that was not there at the start of `plan` can begin at `tick`: on a bar. At the start everybody
  /// can.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func begins(at tick: Tick, of plan: Plan) -> Bool {
    tick == plan.start || tick.index % (Int64(stepsPerBar) * Tick.perStep) == 0
  }
}

import MusicalTime
import Rhythm

extension StepTable {
  /// How many hits sound at `step` and `activity`, counted as the clock thread does. That it compiles is the proof
  /// that the table may be played from real-time code of another module.
  @_noLocks @_noAllocation
  func count(at step: Step, activity: UInt8) -> Int {
    var count = 0
    for index in hits(at: step) where hit(index).sounds(at: activity) { count += 1 }
    return count
  }

  /// The hits that sound at `step` and `activity`.
  func sounding(at step: Step, activity: UInt8) -> [Hit] {
    hits(at: step).map { hit($0) }.filter { $0.sounds(at: activity) }
  }
}

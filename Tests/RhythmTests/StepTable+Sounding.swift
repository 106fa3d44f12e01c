import MusicalTime
import Rhythm

extension StepTable {
  /// The number of hits that sound at `step` and `activity`, counted in the same way as on the clock thread. The
  /// attributes prove that real-time code of another module can play the table.
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

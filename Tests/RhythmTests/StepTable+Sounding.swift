import MusicalTime
import Rhythm

extension StepTable {
  /// The number of hits that sound at `step` and `activity`, counted in the same way as on the clock thread. The
  /// attributes prove that real-time code of another module can play the table.
  @_noLocks @_noAllocation
  func count(at step: Step, activity: UInt8) -> Int {
    var count = 0
    var cursor = cursor(at: step, activity: activity)
    while next(&cursor) != nil { count += 1 }
    return count
  }

  /// The hits that sound at `step` and `activity`.
  func hits(at step: Step, activity: UInt8) -> [Hit] {
    var hits: [Hit] = []
    var cursor = cursor(at: step, activity: activity)
    while let hit = next(&cursor) { hits.append(hit) }
    return hits
  }
}

import MusicalTime
import Rhythm

extension StepTable {
  /// The hits that sound at `step` and `activity`.
  func hits(at step: Step, activity: UInt8) -> [Hit] {
    var hits: [Hit] = []
    var cursor = cursor(at: step, activity: activity)
    while let hit = next(&cursor) { hits.append(hit) }
    return hits
  }

  /// The number of hits that sound at `step` and `activity`.
  func count(at step: Step, activity: UInt8) -> Int { hits(at: step, activity: activity).count }
}

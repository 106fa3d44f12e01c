import Ensemble
import Playback
import Rhythm

/// The pattern of all peers of a world. A class, because a step table is too large to copy.
final class Pattern {
  /// The hits of the pattern.
  let table: StepTable
  /// The lengths of its bars and of the whole pattern.
  let bars: Bars

  init(_ table: StepTable) {
    self.table = table
    bars = Bars(table)
  }
}

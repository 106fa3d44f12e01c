import Ensemble
import Playback
import Rhythm

/// The pattern, that is, the rhythm that all peers of a world play. It is a class, because a step table is too large to copy for each peer.
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

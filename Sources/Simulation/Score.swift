import Ensemble
import Playback
import Rhythm

/// What everybody plays. One for a room: a table is too large to be carried about.
final class Score {
  let table: StepTable
  let bars: Bars

  init(_ table: StepTable) {
    self.table = table
    bars = Bars(table)
  }
}

import MusicalTime
import Rhythm

/// The total activity with `tutti patch render --ramp`. It changes where the layers of the rhythm can change: on each quarter note or, with
/// `change: bar`, at the beginning of each bar. It rises evenly from 0 in the first of these intervals to 127 in the last one. If there is
/// only one interval, the activity is 127.
struct RenderRamp {
  /// The number of steps after which the activity changes.
  private let interval: Int64
  /// The number of intervals. The last one may be incomplete.
  private let count: Int64

  /// - Parameter end: the first step after the end.
  init(_ patch: Patch, end: Step) {
    interval = patch.layerChange == .bar ? patch.meter.stepsPerBar : Step.perQuarter
    count = (end.index + interval - 1) / interval
  }

  func activity(at step: Step) -> UInt8 {
    count > 1 ? UInt8(127 * (step.index / interval) / (count - 1)) : 127
  }
}

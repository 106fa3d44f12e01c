/// Evenly spaced time errors of a clock, in one or more uninterrupted runs.
///
/// A missing value is NaN. The change of the time error from one run to the next is unknown, so a statistic never combines
/// values of two runs.
struct PhaseSeries {
  /// The time errors of all runs, one after the other, in any unit of time. NaN is a missing value.
  var phase: [Double]
  /// The runs, as ranges of ``phase``, in order.
  var runs: [Range<Int>]

  /// Creates a series with one run.
  init(_ phase: [Double]) { (self.phase, runs) = (phase, [phase.indices]) }

  /// Creates a series with several runs.
  init(_ phase: [Double], runs: [Range<Int>]) { (self.phase, self.runs) = (phase, runs) }

  /// The length of the longest run in values.
  var longestRun: Int { runs.map(\.count).max() ?? 0 }
}

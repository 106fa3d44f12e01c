import MusicalTime

/// The statistics of the durations of the stages of one path. ``PathAnalysis`` adds the durations tick by tick.
///
/// The memory does not depend on the number of ticks. Each duration is recorded as its difference from the first duration of its stage. A
/// histogram has three significant digits. Without the subtraction, it would lose the jitter of a stage of 90 ms. The variances and
/// covariances are updated with each tick (B. P. Welford, Technometrics 4 (3), 1962).
struct PathMoments {
  /// The statistics of one stage, or of the total of all stages, relative to ``reference``. Times are in nanoseconds.
  private struct Moments {
    var histogram = SignedHistogram()
    /// The first duration.
    var reference: Int64 = 0
    var mean = 0.0
    /// The sum of the squared deviations from the mean.
    var squares = 0.0
    /// The sum of the products of the deviations of the stage and of the total.
    var products = 0.0

    /// Adds a duration, and returns its deviation from the mean of the earlier durations and from the new mean.
    ///
    /// - Parameter count: the number of durations, with this one.
    mutating func add(_ duration: Int64, count: Double) -> (before: Double, after: Double) {
      // In a damaged trace, the difference of two durations can exceed Int64. The difference of two Doubles and `&-` do not trap.
      let value = Double(duration) - Double(reference)
      let before = value - mean
      mean += before / count
      squares += before * (value - mean)
      histogram.record(Nanoseconds(duration &- reference))
      return (before, value - mean)
    }
  }

  private var stages: [Moments]
  private var total = Moments()
  private var jackknife: ShareJackknife
  /// The number of ticks.
  private(set) var count = 0

  init(stages count: Int) {
    stages = Array(repeating: Moments(), count: count)
    jackknife = ShareJackknife(stages: count)
  }

  /// Adds the durations of the stages of one tick.
  mutating func add(_ durations: [Nanoseconds]) {
    let sum = durations.reduce(Nanoseconds.zero, +)
    if count == 0 {
      for (index, duration) in durations.enumerated() { stages[index].reference = duration.count }
      total.reference = sum.count
    }
    count += 1
    let deviation = total.add(sum.count, count: Double(count)).after
    for (index, duration) in durations.enumerated() {
      stages[index].products += stages[index].add(duration.count, count: Double(count)).before * deviation
    }
    jackknife.add(
      zip(durations, stages).map { Double($0.count) - Double($1.reference) },
      total: Double(sum.count) - Double(total.reference))
  }

  /// Returns the figures of the path; nil if no tick was added.
  func path(_ kind: PathKind) -> PathReport.Path? {
    guard let totalFigures = figures(of: total) else { return nil }
    var figures: [PathReport.Stage] = []
    for (index, (name, stage)) in zip(kind.stages, stages).enumerated() {
      guard let distribution = self.figures(of: stage) else { return nil }
      let share = total.squares > 0 ? stage.products / total.squares : nil
      figures.append(
        PathReport.Stage(
          name: name, duration: distribution, share: share, shareError: jackknife.standardError(of: index)))
    }
    return PathReport.Path(kind: kind, stages: figures, total: totalFigures)
  }

  private func figures(of moments: Moments) -> Distribution? {
    Distribution(
      moments.histogram, reference: Double(moments.reference),
      standardDeviation: count > 1 ? (moments.squares / Double(count - 1)).squareRoot() : nil)
  }
}

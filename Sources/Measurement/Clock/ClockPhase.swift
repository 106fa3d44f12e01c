/// The phase errors of the ticks of a clock: each stamp minus the best-fit line, positive for a late tick.
///
/// The line is fitted by least squares over all ticks. A run is a sequence of ticks without a stop of the clock (``ClockStamps/advances``). All
/// runs share one slope, the length of a tick. Each run has its own intercept.
struct ClockPhase {
  /// The phase errors in nanoseconds, one for each tick of each run. A lost tick is NaN.
  private(set) var series = PhaseSeries([], runs: [])
  /// The length of a tick on the line in nanoseconds.
  private(set) var period = 0.0
  /// The errors of ``period`` in nanoseconds; nil with too few ticks.
  private(set) var periodError: SlopeError?
  /// The intervals between ticks with consecutive numbers, in nanoseconds; nil without such ticks.
  private(set) var intervals: Distribution?
  /// The number of ticks that are present.
  private(set) var ticks = 0
  /// The number of ticks that are missing within runs, and the number of doubled ticks.
  private(set) var (lost, doubled) = (0, 0)
  /// The longest pause between two runs in nanoseconds; nil with one run.
  private(set) var longestPause: Int64?

  /// Calculates the phase errors.
  ///
  /// - Parameters:
  ///   - clock: the stamps, with their ``ClockStamps/advances``.
  ///   - approximatePeriod: the approximate length of a tick in nanoseconds, at least 1.
  /// - Throws: ``ReportError`` if a million ticks or more, and more than three quarters of all ticks, are missing. `approximatePeriod` is
  ///   then probably wrong.
  init(_ clock: ClockStamps, approximatePeriod: Double) throws(ReportError) {
    // A line with a slope in whole nanoseconds is subtracted in integers, without rounding. The best-fit line is then fitted to the small
    // remainders.
    let wholePeriod = Int64(approximatePeriod.rounded())
    try place(clock, wholePeriod: wholePeriod)
    intervals = Distribution(intervalsOfAdjacentTicks(wholePeriod: wholePeriod))
    fit(wholePeriod: wholePeriod)
  }

  /// Fills the series with the stamps minus an approximate line, and counts the ticks.
  ///
  /// - Parameter wholePeriod: the slope of the approximate line in nanoseconds per tick. In each run, the line begins at the first stamp.
  private mutating func place(_ clock: ClockStamps, wholePeriod: Int64) throws(ReportError) {
    // The limit bounds the memory if `wholePeriod` is wrong. Its constant term permits long gaps in short files.
    let limit = 4 * clock.stamps.count + 1_000_000
    series.phase.reserveCapacity(clock.stamps.count)
    // In the current run: the index of its first tick in the series, its first stamp, and the number of the present tick from 0.
    var (start, first, position): (Int, Int64, Int64) = (0, 0, 0)
    for (index, stamp) in clock.stamps.enumerated() {
      // The number of ticks since the previous stamp; 0 for a doubled tick.
      let advance = Int(clock.advances[index])
      guard clock.advances[index] != ClockStamps.restart else {
        if index > 0 {
          series.runs.append(start..<series.phase.count)
          longestPause = max(longestPause ?? 0, stamp - clock.stamps[index - 1])
        }
        (start, first, position) = (series.phase.count, stamp, 0)
        series.phase.append(0)
        ticks += 1
        continue
      }
      guard advance > 0 else {
        doubled += 1
        continue
      }
      position += Int64(advance)
      lost += advance - 1
      guard series.phase.count + advance < limit else {
        throw ReportError(
          subject: clock.name, reason: "more than three quarters of the ticks are missing",
          remedy: "give the ticks in a quarter note with --ticks-per-quarter (1 for a click track), and the tempo with "
            + "--nominal, or record again")
      }
      for _ in 1..<advance { series.phase.append(.nan) }
      series.phase.append(Double(Int128(stamp) - Int128(first) - Int128(position) * Int128(wholePeriod)))
      ticks += 1
    }
    if !series.phase.isEmpty { series.runs.append(start..<series.phase.count) }
  }

  /// Returns `transform` of each phase error, in the order of the ticks, without the lost ticks. The array is not shared, so the caller
  /// can sort it without a copy.
  func errors(_ transform: (Double) -> Double) -> [Double] {
    var errors: [Double] = []
    errors.reserveCapacity(ticks)
    for error in series.phase where !error.isNaN { errors.append(transform(error)) }
    return errors
  }

  /// Returns the intervals between ticks with consecutive numbers in nanoseconds. The series must still contain the stamps minus the
  /// approximate line of slope `wholePeriod`.
  private func intervalsOfAdjacentTicks(wholePeriod: Int64) -> [Double] {
    var lengths: [Double] = []
    lengths.reserveCapacity(ticks)
    for run in series.runs {
      for index in run.dropFirst() {
        let length = series.phase[index] - series.phase[index - 1] + Double(wholePeriod)
        if !length.isNaN { lengths.append(length) }
      }
    }
    return lengths
  }

  /// Fits a line to the series, subtracts it from the series, and sets ``period`` and ``periodError``.
  private mutating func fit(wholePeriod: Int64) {
    let means = series.runs.map { mean(in: $0) }
    // The sums of x * x and x * y over all ticks. x is the position in the run, and y the value of the series, each minus its mean in
    // the run.
    var (xx, xy) = (0.0, 0.0)
    for (run, mean) in zip(series.runs, means) {
      for index in run where !series.phase[index].isNaN {
        let x = Double(index - run.lowerBound) - mean.x
        xx += x * x
        xy += x * (series.phase[index] - mean.y)
      }
    }
    let slope = xx > 0 ? xy / xx : 0
    var squares = 0.0
    for (run, mean) in zip(series.runs, means) {
      for index in run where !series.phase[index].isNaN {
        series.phase[index] -= mean.y + slope * (Double(index - run.lowerBound) - mean.x)
        squares += series.phase[index] * series.phase[index]
      }
    }
    period = Double(wholePeriod) + slope
    guard xx > 0 else { return }
    // The degrees of freedom: one less for the intercept of each run, and one less for the slope.
    let degrees = ticks - series.runs.count - 1
    periodError = SlopeError(
      blocks, isAveraged: series.phase.count >= 2 * PowerLawCovariance.size, moment: xx,
      independent: ((squares / Double(max(degrees, 1)) / xx).squareRoot(), degrees))
  }

  /// The phase errors as means of at most ``PowerLawCovariance/size`` blocks. The number of blocks in a run is proportional to its length.
  /// The pauses between the runs are omitted. A run that is shorter than a block, and a block without a tick, have no mean.
  private var blocks: [SlopeError.Block] {
    var (blocks, position): ([SlopeError.Block], Int) = ([], 0)
    for (group, run) in series.runs.enumerated() {
      let count = min(run.count, run.count * PowerLawCovariance.size / series.phase.count)
      for block in 0..<count {
        let range = run.lowerBound + run.count * block / count..<run.lowerBound + run.count * (block + 1) / count
        let mean = mean(in: range)
        if mean.count > 0 {
          let x = mean.x + Double(range.lowerBound - run.lowerBound)
          blocks.append(
            SlopeError.Block(group: group, position: position, count: mean.count, x: x, y: mean.y))
        }
        position += 1
      }
    }
    return blocks
  }

  /// Returns the number of ticks in a part of the series, their mean position from the beginning of the part (x), and their mean value (y),
  /// without the lost ticks.
  private func mean(in run: Range<Int>) -> (count: Double, x: Double, y: Double) {
    var (count, x, y) = (0.0, 0.0, 0.0)
    for index in run where !series.phase[index].isNaN {
      count += 1
      x += (Double(index - run.lowerBound) - x) / count
      y += (series.phase[index] - y) / count
    }
    return (count, x, y)
  }
}

/// The time errors of the ticks of a clock against their best-fit line.
///
/// The line has one slope, the mean length of a tick, and one intercept for each run, by least squares over all ticks.
/// The time error of a tick is its stamp minus the line: positive for a tick that comes late.
struct ClockPhase {
  /// The time errors in nanoseconds, one for each tick of each run. A lost tick is NaN.
  private(set) var series = PhaseSeries([], runs: [])
  /// The length of a tick on the line in nanoseconds.
  private(set) var period = 0.0
  /// The standard error of ``period``; nil with too few ticks.
  private(set) var periodError: Double?
  /// The intervals between adjacent ticks; nil without any.
  private(set) var intervals: Distribution?
  /// The number of ticks that are present.
  private(set) var ticks = 0
  /// The numbers of missing ticks within runs, and of ticks that came twice.
  private(set) var (lost, doubled) = (0, 0)
  /// The longest pause between two runs in nanoseconds; nil with one run.
  private(set) var longestPause: Int64?

  /// Calculates the time errors.
  ///
  /// - Parameter nominalPeriod: the approximate length of a tick in nanoseconds, at least 1.
  /// - Throws: ``ReportError`` if most ticks are missing, so that the length is wrong.
  init(_ clock: ClockStamps, nominalPeriod: Double) throws(ReportError) {
    // Whole nanoseconds, so that the time errors from the approximate line are exact.
    let step = Int64(nominalPeriod.rounded())
    try place(clock, step: step, numbering: TickNumbering(clock, period: nominalPeriod))
    intervals = Distribution(intervalsOfAdjacentTicks(step: step))
    fit(step: step)
  }

  /// Fills the series with the stamps minus the approximate line through the first stamp of each run.
  private mutating func place(_ clock: ClockStamps, step: Int64, numbering: TickNumbering) throws(ReportError) {
    var numbering = numbering
    let limit = 4 * clock.stamps.count + 1_000_000
    series.phase.reserveCapacity(clock.stamps.count)
    var (start, first, position): (Int, Int64, Int64) = (0, 0, 0)
    for (index, stamp) in clock.stamps.enumerated() {
      guard let advance = numbering.advance(index) else {
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
          subject: clock.name, reason: "more than three of four ticks are missing",
          remedy: "give the correct tempo with --nominal, or record again")
      }
      for _ in 1..<advance { series.phase.append(.nan) }
      series.phase.append(Double(Int128(stamp) - Int128(first) - Int128(position) * Int128(step)))
      ticks += 1
    }
    if !series.phase.isEmpty { series.runs.append(start..<series.phase.count) }
  }

  /// Returns `transform` of each time error. A new array at each call, which the caller can sort without a further
  /// copy.
  func errors(_ transform: (Double) -> Double) -> [Double] {
    var errors: [Double] = []
    errors.reserveCapacity(ticks)
    for error in series.phase where !error.isNaN { errors.append(transform(error)) }
    return errors
  }

  /// The lengths between ticks with consecutive numbers, before the line is subtracted.
  private func intervalsOfAdjacentTicks(step: Int64) -> [Double] {
    var lengths: [Double] = []
    lengths.reserveCapacity(ticks)
    for run in series.runs {
      for index in run.dropFirst() {
        let length = series.phase[index] - series.phase[index - 1] + Double(step)
        if !length.isNaN { lengths.append(length) }
      }
    }
    return lengths
  }

  /// Subtracts the best-fit line from the series and sets the period.
  private mutating func fit(step: Int64) {
    let means = series.runs.map { mean(in: $0) }
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
    period = Double(step) + slope
    let degrees = ticks - series.runs.count - 1
    periodError = degrees > 0 && xx > 0 ? (squares / Double(degrees) / xx).squareRoot() : nil
  }

  /// The mean position and time error of the present ticks of a run.
  private func mean(in run: Range<Int>) -> (x: Double, y: Double) {
    var (count, x, y) = (0.0, 0.0, 0.0)
    for index in run where !series.phase[index].isNaN {
      count += 1
      x += (Double(index - run.lowerBound) - x) / count
      y += (series.phase[index] - y) / count
    }
    return (x, y)
  }
}

/// The tempo of a clock over time: the tempo of the best-fit line through the ticks of each window.
///
/// The windows follow each other without overlap, and none contains ticks of two runs. A window is a quarter note, but has at least
/// ``shortestWindow`` ticks. It is doubled until there are not too many windows.
///
/// The standard error of a window is that of the slope of a least-squares line: s / sqrt(Sxx), where s is the standard deviation of the
/// ticks from the line of the window with n - 2 degrees of freedom, and Sxx is the sum of the squared deviations of the tick numbers from
/// their mean. It assumes that the errors of the ticks are independent. A change of the tempo within the window increases it.
///
/// Real-time: not safe.
public struct TempoCurve: Hashable, Sendable {
  /// The tempo in one window.
  public struct Row: Hashable, Sendable {
    /// The number of the run, from 0.
    public let run: Int
    /// The mean instant of the ticks in the window, in seconds after the first stamp.
    public let seconds: Double
    /// The tempo in beats per minute.
    public let tempo: Double
    /// The standard error of the tempo in beats per minute.
    public let standardError: Double
    /// The number of ticks that are present in the window.
    public let ticks: Int
  }

  /// The length of a window in ticks.
  public let window: Int
  /// The windows, in order. A window with less than half of its ticks is omitted.
  public let rows: [Row]

  /// The smallest number of ticks in a window. With fewer ticks, the standard deviation from a line is known too inexactly.
  private static let shortestWindow = 8

  /// Calculates the tempo.
  ///
  /// - Parameters:
  ///   - phase: the phase errors.
  ///   - clock: the stamps, with their ``ClockStamps/advances``.
  ///   - ticksPerQuarter: the number of ticks of a quarter note.
  ///   - limit: the largest number of windows, apart from an incomplete one at the end of each run.
  init(_ phase: ClockPhase, _ clock: ClockStamps, ticksPerQuarter: Int, limit: Int) {
    let series = phase.series
    var window = ticksPerQuarter
    while window < Self.shortestWindow || series.phase.count / window > limit { window *= 2 }
    let starts = clock.stamps.indices.lazy.filter { clock.advances[$0] == ClockStamps.restart }
      .map { Double(Int128(clock.stamps[$0]) - Int128(clock.stamps[0])) }
    var rows: [Row] = []
    for (number, (run, start)) in zip(series.runs, starts).enumerated() {
      for first in stride(from: run.lowerBound, to: run.upperBound, by: window) {
        let ticks = first..<min(first + window, run.upperBound)
        guard let line = Self.line(through: ticks, of: series.phase, minimum: max(window / 2, 3)) else { continue }
        let period = phase.period + line.slope
        let tempo = 60e9 / (period * Double(ticksPerQuarter))
        // The first stamp of the run is at `start`, so the intercept of the best-fit line is `start` minus the first phase error.
        let time =
          start - series.phase[run.lowerBound] + (Double(first - run.lowerBound) + line.mean.x) * phase.period
          + line.mean.y
        rows.append(
          Row(
            run: number, seconds: time / 1e9, tempo: tempo,
            standardError: tempo * line.error / period, ticks: line.count))
      }
    }
    (self.window, self.rows) = (window, rows)
  }

  /// Returns the slope of the least-squares line through the values with these indices, its standard error, the mean position after the
  /// first index (x) and the mean value (y), and the number of values; nil with fewer than `minimum` values. NaN is a missing value.
  private static func line(
    through indices: Range<Int>, of values: [Double], minimum: Int
  ) -> (slope: Double, error: Double, mean: (x: Double, y: Double), count: Int)? {
    var (count, mean, moment) = (0.0, (x: 0.0, y: 0.0), (xx: 0.0, xy: 0.0, yy: 0.0))
    for index in indices where !values[index].isNaN {
      count += 1
      let (dx, dy) = (Double(index - indices.lowerBound) - mean.x, values[index] - mean.y)
      mean.x += dx / count
      mean.y += dy / count
      moment.xx += dx * (Double(index - indices.lowerBound) - mean.x)
      moment.xy += dx * (values[index] - mean.y)
      moment.yy += dy * (values[index] - mean.y)
    }
    guard count >= Double(minimum), moment.xx > 0 else { return nil }
    let slope = moment.xy / moment.xx
    let squares = max(moment.yy - slope * moment.xy, 0)
    return (slope, (squares / (count - 2) / moment.xx).squareRoot(), mean, Int(count))
  }

  /// The table as text.
  var text: String {
    let table = TextTable(
      columns: ["run", "time s", "tempo BPM", "se BPM", "ticks"], wordColumns: 0,
      rows: rows.map {
        ["\($0.run)", $0.seconds.fixed(3), $0.tempo.fixed(4), $0.standardError.short, "\($0.ticks)"]
      })
    return "Tempo over time, in windows of \(window) ticks; time: the mean instant of the ticks\n\(table)"
      + "se: standard error, if the errors of the ticks are independent; with a noise other than W PM, it is larger\n"
  }
}

extension TempoCurve: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(["window_ticks": window, "windows": rows]) }
}

extension TempoCurve.Row: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "run": run, "time_s": seconds, "tempo_bpm": tempo, "standard_error_bpm": standardError, "ticks": ticks,
    ])
  }
}

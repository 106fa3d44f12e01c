/// The tempo of a clock over time: the tempo of the best-fit line through the ticks of each window.
///
/// The windows follow each other without overlap, and none contains ticks of two runs. A window is a quarter note, but has at least
/// ``shortestWindow`` ticks. It is doubled until there are not too many windows.
///
/// The standard error of a window follows from the noise of its ticks (``WindowSlopeErrors``). The usual one, s / sqrt(Sxx), would assume
/// that the errors of the ticks are independent. A change of the tempo within the window increases it.
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
    /// The standard error of the tempo in beats per minute; nil if all windows together have too few ticks.
    public let standardError: Double?
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
    let window = Self.window(series.phase.count, ticksPerQuarter: ticksPerQuarter, limit: limit)
    let starts = clock.stamps.indices.lazy.filter { clock.advances[$0] == ClockStamps.restart }
      .map { Double(Int128(clock.stamps[$0]) - Int128(clock.stamps[0])) }
    let ticksPerBlock = (window - 1) / PowerLawCovariance.size + 1
    var (lines, rows): ([Line], [Row]) = ([], [])
    for (number, (run, start)) in zip(series.runs, starts).enumerated() {
      for first in stride(from: run.lowerBound, to: run.upperBound, by: window) {
        let ticks = first..<min(first + window, run.upperBound)
        let line = Line(through: ticks, of: series.phase, ticksPerBlock: ticksPerBlock)
        guard let line, line.count >= max(window / 2, 3) else { continue }
        // The first stamp of the run is at `start`, so the intercept of the best-fit line is `start` minus the first phase error.
        let time =
          start - series.phase[run.lowerBound] + (Double(first - run.lowerBound) + line.mean.x) * phase.period
          + line.mean.y
        lines.append(line)
        rows.append(
          Row(
            run: number, seconds: time / 1e9,
            tempo: 60e9 / ((phase.period + line.slope) * Double(ticksPerQuarter)), standardError: nil,
            ticks: line.count))
      }
    }
    let errors = WindowSlopeErrors(lines.map(\.blocks), isAveraged: ticksPerBlock > 1).errors
    self.window = window
    self.rows = zip(rows, zip(lines, errors)).map { row, figures in
      let (line, error) = figures
      return Row(
        run: row.run, seconds: row.seconds, tempo: row.tempo,
        standardError: error.map { row.tempo * $0 / (phase.period + line.slope) }, ticks: row.ticks)
    }
  }

  /// Returns the length of a window in ticks.
  ///
  /// - Parameters:
  ///   - count: the number of ticks of all runs.
  ///   - limit: the largest number of windows.
  static func window(_ count: Int, ticksPerQuarter: Int, limit: Int) -> Int {
    var window = ticksPerQuarter
    while window < Self.shortestWindow || count / window > limit { window *= 2 }
    return window
  }

  /// The least-squares line through the ticks of a window. Positions are relative to the first tick.
  private struct Line {
    private(set) var (slope, count) = (0.0, 0)
    private(set) var mean = (x: 0.0, y: 0.0)
    /// The means of adjacent ticks.
    private(set) var blocks: [SlopeError.Block] = []

    /// Fits the line to the values with these indices; nil without two values. NaN is a missing value.
    init?(through indices: Range<Int>, of values: [Double], ticksPerBlock: Int) {
      var moment = (xx: 0.0, xy: 0.0)
      for index in indices where !values[index].isNaN {
        let (x, y) = (Double(index - indices.lowerBound), values[index])
        count += 1
        let (dx, dy) = (x - mean.x, y - mean.y)
        mean.x += dx / Double(count)
        mean.y += dy / Double(count)
        moment.xx += dx * (x - mean.x)
        moment.xy += dx * (y - mean.y)
        let position = (index - indices.lowerBound) / ticksPerBlock
        if var last = blocks.last, last.position == position {
          last.count += 1
          last.x += (x - last.x) / last.count
          last.y += (y - last.y) / last.count
          blocks[blocks.count - 1] = last
        } else {
          blocks.append(SlopeError.Block(group: 0, position: position, count: 1, x: x, y: y))
        }
      }
      guard moment.xx > 0 else { return nil }
      slope = moment.xy / moment.xx
    }
  }

  /// The table as text.
  var text: String {
    let table = TextTable(
      columns: ["run", "time s", "tempo BPM", "se BPM", "ticks"], wordColumns: 0,
      rows: rows.map {
        ["\($0.run)", $0.seconds.fixed(3), $0.tempo.fixed(4), $0.standardError.short, "\($0.ticks)"]
      })
    return "Tempo over time, in windows of \(window) ticks; time: the mean instant of the ticks\n\(table)"
      + "se: standard error; the 95 % interval is the tempo plus and minus 1.96 se\n"
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

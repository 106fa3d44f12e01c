/// A gnuplot script for `tutti measure clock --plot`: the phase error over time, its histogram, and the Allan deviation.
public struct ClockPlot {
  /// The script, which contains its data and reads no file. It needs gnuplot 5.
  public let script: String

  /// The approximate number of columns of the phase error over time. A column shows the minimum and the maximum of its ticks, so that no
  /// peak is lost.
  private static let columns = 1000
  /// The number of bins of the histogram.
  private static let bins = 100

  /// Creates the script for `analysis`. When gnuplot runs the script, it writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ analysis: ClockAnalysis, file: String, format: PlotFormat) {
    let report = analysis.report
    let (series, histogram) = (Self.timeSeries(analysis), Self.histogram(analysis))
    let stability = report.stability.map { row in
      let interval = row.interval ?? row.allanDeviation...row.allanDeviation
      return "\(row.seconds) \(row.allanDeviation) \(interval.lowerBound) \(interval.upperBound)"
    }
    let isVariable = report.stability.contains { $0.allanDeviation > 0 }
    let head =
      Gnuplot.head(file: file, format: format, height: 1200) + Gnuplot.data("series", series)
      + Gnuplot.data("histogram", histogram) + Gnuplot.data("stability", stability)
    script = """
      \(head)set multiplot layout 3,1 title \(Gnuplot.quoted(Self.title(report))) noenhanced
      set xlabel 'time / s'
      set ylabel 'phase error / us'
      plot $series using 1:2:3 with filledcurves lc rgb '#4477aa' notitle, \\
        $series using 1:2 with lines lc rgb '#4477aa' notitle, $series using 1:3 with lines lc rgb '#4477aa' notitle
      set xlabel 'phase error / us'
      set ylabel 'ticks'
      set logscale y
      set yrange [0.5:*]
      set style fill solid
      plot $histogram using 1:2 with boxes lc rgb '#4477aa' notitle
      set xlabel 'observation time / s'
      set ylabel 'Allan deviation, 95 % interval'
      set yrange [*:*]
      \(isVariable ? "set logscale xy" : "unset logscale")
      set format y '%.0e'
      plot $stability using 1:2:3:4 with yerrorlines pt 7 ps 0.5 lc rgb '#4477aa' notitle
      unset multiplot
      unset output

      """
  }

  private static func title(_ report: ClockReport) -> String {
    "\(report.ticks) ticks, \((report.tempo.value as Double?).fixed(4)) BPM; \(report.provenance.title)"
  }

  /// Returns one line for each column of the plot: the time in seconds, and the smallest and the largest phase error in microseconds. An
  /// empty line ends each run.
  private static func timeSeries(_ analysis: ClockAnalysis) -> [String] {
    let (series, period) = (analysis.phase.series, analysis.phase.period)
    let width = max(1, series.phase.count / columns)
    var (lines, start): ([String], Double) = ([], 0)
    for run in series.runs {
      for first in stride(from: run.lowerBound, to: run.upperBound, by: width) {
        let values = series.phase[first..<min(first + width, run.upperBound)].filter { !$0.isNaN }
        guard let low = values.min(), let high = values.max() else { continue }
        lines.append("\((start + Double(first - run.lowerBound) * period) / 1e9) \(low / 1e3) \(high / 1e3)")
      }
      // The plot omits the pauses between runs: each run begins where the previous run ends.
      start += Double(run.count) * period
      lines.append("")
    }
    return lines
  }

  /// Returns one line for each bin: the middle of the bin in microseconds, and the number of ticks in it.
  private static func histogram(_ analysis: ClockAnalysis) -> [String] {
    let distribution = analysis.report.phase
    let width = max((distribution.maximum - distribution.minimum) / Double(bins), 1)
    var counts = [Int](repeating: 0, count: bins)
    for error in analysis.phase.series.phase where !error.isNaN {
      counts[min(Int((error - distribution.minimum) / width), bins - 1)] += 1
    }
    return counts.enumerated().map { bin, count in
      "\((distribution.minimum + (Double(bin) + 0.5) * width) / 1e3) \(count)"
    }
  }
}

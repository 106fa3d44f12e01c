/// A script for gnuplot that draws the offset of each peer over time, and the histogram of the offsets. The
/// offset is the difference between the due instants of the same tick at two peers.
public struct SyncPlot {
  /// The script, with its data.
  public let script: String

  /// Creates the script for `analysis`. When gnuplot runs the script, it writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ analysis: SyncAnalysis, file: String, format: PlotFormat) {
    var text = Gnuplot.head(file: file, format: format, height: 900)
    var (curves, histograms): ([String], [String]) = ([], [])
    for (index, (comparison, series)) in zip(analysis.report.comparisons, analysis.series).enumerated() {
      guard comparison.common > 0 else { continue }
      text += Gnuplot.data("time\(index)", Self.lines(of: series, seconds: analysis.seconds))
      text += Gnuplot.data(
        "histogram\(index)",
        series.counts.enumerated().map { bin, count in
          "\((series.lowest + (Double(bin) + 0.5) * series.width) / 1e3) \(count)"
        })
      let color = "lc rgb '\(Gnuplot.colors[index % Gnuplot.colors.count])'"
      let title = Gnuplot.quoted(comparison.name)
      curves.append("$time\(index) using 1:2:3 with filledcurves \(color) fs transparent solid 0.5 title \(title)")
      curves.append("$time\(index) using 1:2 with lines \(color) notitle")
      curves.append("$time\(index) using 1:3 with lines \(color) notitle")
      histograms.append("$histogram\(index) using 1:2 with histeps \(color) title \(title)")
    }
    let reference = analysis.report.reference == .first ? analysis.report.peers[0].header.name : "the median timeline"
    text += """
      set multiplot layout 2,1 title \(Gnuplot.quoted(analysis.report.provenance?.title ?? "")) noenhanced
      set xlabel 'time / s'
      set ylabel \(Gnuplot.quoted("offset from \(reference) / us")) noenhanced
      \(Gnuplot.plot(curves))
      set xlabel 'offset / us'
      set ylabel 'ticks'
      set logscale y
      set yrange [0.5:*]
      \(Gnuplot.plot(histograms))
      unset multiplot
      unset output

      """
    script = text
  }

  /// Returns one line for each interval of time: the middle of the interval in seconds, and the smallest and the largest offset
  /// in microseconds. An interval without a tick gives an empty line, which interrupts the curve.
  private static func lines(of series: SyncSeries, seconds: Double) -> [String] {
    series.extremes.enumerated().map { column, range in
      guard let range else { return "" }
      let time = (Double(column) + 0.5) * seconds / Double(series.extremes.count)
      return "\(time) \(range.lowerBound / 1e3) \(range.upperBound / 1e3)"
    }
  }
}

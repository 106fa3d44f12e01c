/// A script for gnuplot that draws the difference of each hit over time, and the histogram of the differences.
public struct AudioPlot {
  /// The script, with its data.
  public let script: String

  /// The number of bins of the histogram.
  private static let bins = 100

  /// Creates the script for `analysis`. When gnuplot runs the script, it writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ analysis: AudioAnalysis, file: String, format: PlotFormat) {
    var text = Gnuplot.head(file: file, format: format, height: 900)
    var (points, histograms): ([String], [String]) = ([], [])
    for (index, comparison) in analysis.report.comparisons.enumerated() {
      guard let difference = comparison.difference else { continue }
      let hits = analysis.hits.filter { $0.recording == comparison.name }
      text += Gnuplot.data("time\(index)", hits.map { "\($0.time) \($0.difference / 1e3)" })
      // The width of a bin is at least 1 ns, because all differences may be equal.
      let width = max((difference.maximum - difference.minimum) / Double(Self.bins), 1)
      var counts = [Int](repeating: 0, count: Self.bins)
      for hit in hits { counts[min(max(Int((hit.difference - difference.minimum) / width), 0), Self.bins - 1)] += 1 }
      text += Gnuplot.data(
        "histogram\(index)",
        counts.enumerated().map { "\((difference.minimum + (Double($0) + 0.5) * width) / 1e3) \($1)" })
      let color = "lc rgb '\(Gnuplot.colors[index % Gnuplot.colors.count])'"
      let title = Gnuplot.quoted(comparison.name)
      points.append("$time\(index) using 1:2 with points pt 7 ps 0.3 \(color) title \(title)")
      histograms.append("$histogram\(index) using 1:2 with histeps \(color) title \(title)")
    }
    let reference = Gnuplot.quoted("difference from \(analysis.report.tracks[0].name) / us")
    text += """
      set multiplot layout 2,1 title \(Gnuplot.quoted(analysis.report.provenance?.title ?? "")) noenhanced
      set xlabel 'time / s'
      set ylabel \(reference) noenhanced
      \(Gnuplot.plot(points))
      set xlabel 'difference / us'
      set ylabel 'hits'
      \(Gnuplot.plot(histograms))
      unset multiplot
      unset output

      """
    script = text
  }
}

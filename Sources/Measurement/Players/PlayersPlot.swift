/// A gnuplot script for `tutti measure players --plot`: the asynchronies of each player to the grid over time, and their histogram.
public struct PlayersPlot {
  /// The script, which contains its data and reads no file. It needs gnuplot 5.
  public let script: String

  /// The width of a bin of the histogram in milliseconds.
  private static let width = 2.0

  /// Creates the script for `analysis`. When gnuplot runs the script, it writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ analysis: PlayersAnalysis, file: String, format: PlotFormat) {
    var text = Gnuplot.head(file: file, format: format, height: 900)
    var (points, histograms): ([String], [String]) = ([], [])
    for (index, (player, series)) in zip(analysis.report.players, analysis.series).enumerated() where !series.isEmpty {
      text += Gnuplot.data("time\(index)", series.map { "\($0.time) \($0.asynchrony / 1e6)" })
      var counts: [Int: Int] = [:]
      for action in series { counts[Int((action.asynchrony / 1e6 / Self.width).rounded(.down)), default: 0] += 1 }
      text += Gnuplot.data(
        "histogram\(index)",
        counts.sorted { $0.key < $1.key }.map { "\((Double($0.key) + 0.5) * Self.width) \($0.value)" })
      let color = "lc rgb '\(Gnuplot.colors[index % Gnuplot.colors.count])'"
      let title = Gnuplot.quoted(player.name)
      points.append("$time\(index) using 1:2 with points pt 7 ps 0.4 \(color) title \(title)")
      histograms.append("$histogram\(index) using 1:2 with linespoints pt 7 ps 0.4 \(color) title \(title)")
    }
    text += """
      set multiplot layout 2,1 title \(Gnuplot.quoted(analysis.report.provenance?.title ?? "")) noenhanced
      set xlabel 'time since the first action / s'
      set ylabel 'asynchrony to the grid / ms'
      \(Gnuplot.plot(points))
      set xlabel 'asynchrony to the grid / ms'
      set ylabel 'actions'
      \(Gnuplot.plot(histograms))
      unset multiplot
      unset output

      """
    script = text
  }
}

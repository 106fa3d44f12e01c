import MusicalTime

/// A gnuplot script for `tutti measure network --plot`: the round trip over time, and its histogram.
public struct NetworkPlot {
  /// The script, which contains its data and reads no file. It needs gnuplot 5.
  public let script: String

  /// The number of bins of the histogram.
  private static let bins = 100

  /// Creates the script for the exchanges of `measurement`, of which there must be at least one. When gnuplot runs the script, it writes a
  /// picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ measurement: NetworkMeasurement, _ report: NetworkReport, file: String, format: PlotFormat) {
    let exchanges = measurement.exchanges
    let start = exchanges[0].sent
    let width = max((report.roundTrip.maximum - report.roundTrip.minimum) / Double(Self.bins), 1)
    var counts = [Int](repeating: 0, count: Self.bins)
    for exchange in exchanges {
      counts[min(Int((exchange.roundTrip - report.roundTrip.minimum) / width), Self.bins - 1)] += 1
    }
    script =
      Gnuplot.head(file: file, format: format, height: 900)
      + Gnuplot.data(
        "time",
        exchanges.map { (exchange: NetworkExchange) -> String in
          "\((exchange.sent - start).seconds) \(exchange.roundTrip / 1e3)"
        })
      + Gnuplot.data(
        "histogram",
        counts.enumerated().map { "\((report.roundTrip.minimum + (Double($0) + 0.5) * width) / 1e3) \($1)" })
        + """
        set multiplot layout 2,1 title \(Gnuplot.quoted("\(report.peer); tutti \(report.provenance.version)")) noenhanced
        set xlabel 'time / s'
        set ylabel 'round trip / us'
        plot $time using 1:2 with points pt 7 ps 0.3 lc rgb '\(Gnuplot.colors[0])' notitle
        set xlabel 'round trip / us'
        set ylabel 'requests'
        set style fill solid
        set logscale y
        set yrange [0.5:*]
        plot $histogram using 1:2 with boxes lc rgb '\(Gnuplot.colors[0])' notitle
        unset multiplot
        unset output

        """
  }
}

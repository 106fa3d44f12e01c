import Foundation

/// The parts that all scripts for gnuplot have in common. The scripts work with gnuplot 5 and contain their data.
enum Gnuplot {
  /// The colours of the curves: the bright scheme of P. Tol, "Colour schemes", SRON/EPS/TN/09-002, 2021.
  private static let colors = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]
  /// The point types of the curves: filled circle, square, triangle and so on. They tell the curves apart in a print without colours.
  private static let points = [7, 5, 9, 13, 11, 15, 3]

  /// One panel of a plot.
  struct Panel {
    /// The labels of the axes. A unit follows a slash (ISO 80000-1, section 7.1.1).
    var x, y: String
    /// The commands that set the axes.
    var settings: [String] = []
    /// The curves.
    var curves: [String]
  }

  /// Returns a block of data with the name `$name`.
  static func data(_ name: String, _ lines: [String]) -> String {
    "$\(name) << END_OF_DATA\n\(lines.joined(separator: "\n"))\nEND_OF_DATA\n"
  }

  /// Returns the lines of a histogram with 100 bins of equal width: the middle of each bin in microseconds, and the number of values in
  /// the bin. The first and the last bin also contain the values outside `range`.
  ///
  /// - Parameters:
  ///   - values: the values in nanoseconds.
  ///   - range: the smallest and the largest value, or the range of the axis without outliers (``RobustRange``).
  static func histogram(_ values: some Sequence<Double>, in range: ClosedRange<Double>) -> [String] {
    let bins = 100
    // The width of a bin is at least 1 ns, because all values may be equal.
    let width = max((range.upperBound - range.lowerBound) / Double(bins), 1)
    var counts = [Int](repeating: 0, count: bins)
    for value in values { counts[min(max(Int((value - range.lowerBound) / width), 0), bins - 1)] += 1 }
    return counts.enumerated().map { bin, count in
      "\((range.lowerBound + (Double(bin) + 0.5) * width) / 1e3) \(count)"
    }
  }

  /// Returns the colour of the curve with this index.
  static func color(_ index: Int) -> String { "lc rgb '\(colors[index % colors.count])'" }

  /// Returns the colour and the filled symbol of the curve with this index.
  static func symbol(_ index: Int, size: Double = 0.4) -> String {
    "pt \(points[index % points.count]) ps \(size) \(color(index))"
  }

  /// Returns a curve without points that shows the symbol of the curve with this index in the key. The symbols of many points are too
  /// small for the key.
  static func keyEntry(_ index: Int, _ title: String) -> String {
    "NaN with points \(symbol(index, size: 0.8)) title \(quoted(title))"
  }

  /// Returns the script of a picture: its panels, one above the other. The key is above the data and not on them.
  ///
  /// - Parameters:
  ///   - title: the title above the panels. A picture for print has none.
  ///   - data: the blocks of data.
  ///   - panels: the panels, from the top.
  static func script(_ picture: PlotPicture, title: String, data: String, _ panels: [Panel]) -> String {
    // A line of text has room for about a hundred characters.
    let text = title.count > 100 ? "\(title.prefix(99))…" : title
    let heading = picture.isForPrint ? "" : " title \(quoted(text)) noenhanced"
    var lines = [
      "set key tmargin left horizontal Left reverse noenhanced", "set grid lt 1 lw 0.5 lc rgb '#dddddd'",
      "set tics nomirror", "set lmargin 11",
    ]
    lines += ["set multiplot layout \(panels.count),1\(heading)"]
    for panel in panels {
      lines += [
        "unset logscale", "set format '%g'", "set mxtics default", "set mytics default", "set autoscale xfix",
        "set autoscale y",
      ]
      lines += ["set xlabel \(quoted(panel.x)) noenhanced", "set ylabel \(quoted(panel.y)) noenhanced"]
      lines += panel.settings + [plot(panel.curves)]
    }
    lines += ["unset multiplot", "unset output", ""]
    return picture.commands(panels: panels.count) + data + lines.joined(separator: "\n")
  }

  /// Returns the command that draws `curves`. Without curves, the command draws an empty panel: a plot without any point is an error
  /// that ends the script, unless its ranges are given.
  private static func plot(_ curves: [String]) -> String {
    "plot " + (curves.isEmpty ? "[0:1] [1:10] NaN notitle" : curves.joined(separator: ", \\\n  "))
  }

  /// The commands for a logarithmic y axis of counts. A bin with one value is visible, because the axis begins at 0.5.
  static let countAxis = ["set logscale y", "set format y '10^{%L}'", "set yrange [0.5:*]"]

  /// Returns the commands for a logarithmic axis from the decade below `low` to the decade above `high`, both greater than 0. Its labels
  /// are powers of ten.
  static func logarithmic(_ axis: String, _ low: Double, _ high: Double) -> [String] {
    func decade(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int { Int(log10(value).rounded(rule)) }
    let (first, last) = (decade(low, .down), decade(high, .up))
    return [
      "set logscale \(axis)", "set format \(axis) '10^{%L}'", "set m\(axis)tics 10",
      "set \(axis)range [1e\(first):1e\(max(last, first + 1))]",
    ]
  }

  /// Encloses `text` in single quotes. A quote inside is doubled, as gnuplot requires (gnuplot manual, "Strings"). A line end becomes a
  /// space.
  static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "''" : $0.isNewline ? " " : "\($0)" }.joined() + "'"
  }
}

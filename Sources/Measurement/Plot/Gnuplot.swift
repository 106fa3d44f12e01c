/// The picture formats of plots. The raw value is the extension of the file name.
public enum PlotFormat: String, Sendable, CaseIterable {
  case svg, png
}

/// The parts that all scripts for gnuplot have in common. The scripts work with gnuplot 5 and contain their data.
enum Gnuplot {
  /// The colours of the curves: the bright scheme of P. Tol, "Colour schemes", SRON/EPS/TN/09-002, 2021.
  private static let colors = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]

  /// Returns the lines that begin a script.
  ///
  /// - Parameters:
  ///   - file: the path of the picture that the script writes.
  ///   - format: the format of the picture.
  ///   - height: the height of the picture in pixels.
  static func head(file: String, format: PlotFormat, height: Int) -> String {
    let terminal =
      switch format {
      case .svg: "svg size 900,\(height) dynamic background '#ffffff'"
      case .png: "pngcairo size 900,\(height)"
      }
    return "set terminal \(terminal)\nset output \(quoted(file))\nset key noenhanced\nset grid\n"
  }

  /// Returns a block of data with the name `$name`.
  static func data(_ name: String, _ lines: [String]) -> String {
    "$\(name) << END_OF_DATA\n\(lines.joined(separator: "\n"))\nEND_OF_DATA\n"
  }

  /// Returns the lines of a histogram with 100 bins of equal width: the middle of each bin in microseconds, and the number of values in
  /// the bin.
  ///
  /// - Parameters:
  ///   - values: the values in nanoseconds.
  ///   - range: the smallest and the largest value.
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

  /// Returns the commands that draw panels, one above the other, and end the picture.
  ///
  /// - Parameters:
  ///   - title: the title above the panels.
  ///   - panels: for each panel, the commands that set its labels and axes, and its curves.
  static func panels(title: String, _ panels: (settings: [String], curves: [String])...) -> String {
    let commands = panels.flatMap { $0.settings + [plot($0.curves)] }
    let first = "set multiplot layout \(panels.count),1 title \(quoted(title)) noenhanced"
    return ([first] + commands + ["unset multiplot", "unset output", ""]).joined(separator: "\n")
  }

  /// Returns the command that draws `curves`. Without curves, the command draws an empty panel: a plot without any point is an error
  /// that ends the script, unless its ranges are given.
  private static func plot(_ curves: [String]) -> String {
    "plot " + (curves.isEmpty ? "[0:1] [1:10] NaN notitle" : curves.joined(separator: ", \\\n  "))
  }

  /// Encloses `text` in single quotes. A quote inside is doubled, as gnuplot requires (gnuplot manual, "Strings"). A line end becomes a
  /// space.
  static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "''" : $0.isNewline ? " " : "\($0)" }.joined() + "'"
  }
}

/// The parts that all scripts for gnuplot have in common. The scripts work with gnuplot 5 and contain their data.
struct Gnuplot {
  /// The colours of the curves: the bright scheme of P. Tol, "Colour schemes", SRON/EPS/TN/09-002, 2021.
  static let colors = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]

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

  /// Returns the command that draws `curves`. Without curves, the command draws an empty panel: a plot without any point is an error
  /// that ends the script, unless its ranges are given.
  static func plot(_ curves: [String]) -> String {
    "plot " + (curves.isEmpty ? "[0:1] [1:10] NaN notitle" : curves.joined(separator: ", \\\n  "))
  }

  /// Encloses `text` in single quotes. A quote inside is doubled, as gnuplot requires (gnuplot manual, "Strings"). A line end becomes a
  /// space.
  static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "''" : $0.isNewline ? " " : "\($0)" }.joined() + "'"
  }
}

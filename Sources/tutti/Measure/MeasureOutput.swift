import ArgumentParser
import BuildVersion
import Cryptography
import Engine
import Foundation
import Measurement

/// The options for the output of a measurement: JSON, CSV and a plot.
struct MeasureOutput: ParsableArguments {
  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Print comma-separated values (CSV) instead of tables.")
  var csv = false

  @Option(
    help: ArgumentHelp("Draw the figures with gnuplot.", valueName: "FILE.svg|FILE.png"),
    completion: .file(extensions: ["svg", "png"]))
  var plot: String?

  func validate() throws {
    guard !json || !csv else { throw ValidationError("--json and --csv: contradict each other; give one of them") }
    if let plot { _ = try GnuplotProgram.format(of: plot) }
  }

  /// Returns the program that draws the plot; nil without `--plot`. Gnuplot is needed only at the end, but commands call this
  /// function first. If gnuplot is missing, they then fail before a long measurement.
  ///
  /// - Throws: ``GnuplotProgram/Failure`` if gnuplot is missing.
  func gnuplot() throws(GnuplotProgram.Failure) -> GnuplotProgram? { try plot == nil ? nil : GnuplotProgram() }

  /// Draws the plot.
  ///
  /// - Parameters:
  ///   - gnuplot: the result of ``gnuplot()``.
  ///   - script: returns the script for a picture of this name and format.
  func draw(_ gnuplot: GnuplotProgram?, script: (String, PlotFormat) -> String) throws {
    guard let gnuplot, let plot else { return }
    try gnuplot.run(script(plot, GnuplotProgram.format(of: plot)), output: plot)
  }

  /// Prints the provenance as comment lines of CSV. They follow the rows, because the digest of an input is known only when the
  /// whole input has been read.
  static func printComments(_ provenance: Provenance) {
    for line in provenance.lines { print("# \(line)") }
  }
}

extension Provenance {
  /// Creates the provenance of figures that this program calculates from `inputs`.
  init(inputs: [Input], systemClock: SystemClock? = nil) {
    self.init(
      version: Version.current, command: CommandLine.arguments.joined(separator: " "), inputs: inputs,
      systemClock: systemClock)
  }
}

extension SHA256 {
  /// The digest of all data so far, as 64 hexadecimal digits.
  var hexadecimal: String { hash().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

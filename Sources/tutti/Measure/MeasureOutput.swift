import ArgumentParser
import BuildVersion
import Cryptography
import Engine
import Measurement

/// The options for the output of a measurement: JSON, CSV and a plot.
struct MeasureOutput: ParsableArguments {
  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Print comma-separated values (CSV) instead of tables.")
  var csv = false

  @OptionGroup var plot: PlotOptions

  func validate() throws {
    guard !json || !csv else { throw ValidationError("--json and --csv: contradict each other; give one of them") }
  }

  /// Prints a report in the chosen form.
  ///
  /// - Parameters:
  ///   - report: the figures. Their JSON form and their text are printed.
  ///   - provenance: the provenance of the figures, for CSV.
  ///   - rows: prints the rows of CSV.
  func print(
    _ report: some Encodable & CustomStringConvertible, _ provenance: Provenance, rows: (inout RowPrinter) -> Void
  ) throws {
    if json {
      try printJSON(report)
    } else if csv {
      var printer = RowPrinter()
      rows(&printer)
      printer.flush()
      Self.printComments(provenance)
    } else {
      Swift.print(report, terminator: "")
    }
  }

  /// Prints the provenance as comment lines of CSV. They follow the rows, because the digest of an input is known only when the
  /// whole input has been read.
  static func printComments(_ provenance: Provenance) {
    for line in provenance.lines { Swift.print("# \(line)") }
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

/// Collects rows of text and prints them in large parts. A call of `print` for each of millions of rows would be slow.
struct RowPrinter {
  private var text = ""
  /// The number of octets above which the collected text is printed.
  private static let size = 1 << 16

  /// Adds `row` and a line end to the text. The text is printed when it is large, and by ``flush()``.
  mutating func print(_ row: String) {
    text += row
    text += "\n"
    if text.utf8.count > Self.size { flush() }
  }

  /// Prints the rest of the text.
  mutating func flush() {
    Swift.print(text, terminator: "")
    text = ""
  }
}

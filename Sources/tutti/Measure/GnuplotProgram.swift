import ArgumentParser
import Foundation
import Measurement

/// The options of a plot.
struct PlotOptions: ParsableArguments {
  @Option(
    name: .customLong("plot"),
    help: ArgumentHelp("Draw the figures with gnuplot.", valueName: "FILE.svg|FILE.png|FILE.pdf"),
    completion: .file(extensions: PlotPicture.Format.allCases.map(\.rawValue)))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "Set the size of the plot in pixels, or with a unit: mm, cm or in. With a unit, and in a PDF, text has 8 points and there is no "
        + "title, as journals ask. (default: 900 pixels wide; a PDF: 180 mm wide)",
      valueName: "WIDTHxHEIGHT[UNIT]"))
  var size: String?

  func validate() throws {
    if let file, PlotPicture.Format(rawValue: Self.ending(of: file)) == nil {
      throw ValidationError(
        "--plot \(file): not a supported picture format; give a name that ends with .svg, .png or .pdf")
    }
    guard let size else { return }
    guard file != nil else { throw ValidationError("--size \(size): there is no plot; give --plot FILE too") }
    guard PlotPicture.Size(size) != nil else {
      throw ValidationError(
        "--size \(size): not a size; give a width and a height of 100 to 10000 pixels, for example 900x600 or 85x60mm")
    }
  }

  /// The picture; nil without `--plot`.
  var picture: PlotPicture? {
    guard let file, let format = PlotPicture.Format(rawValue: Self.ending(of: file)) else { return nil }
    return PlotPicture(file: file, format: format, size: size.flatMap { PlotPicture.Size($0) })
  }

  private static func ending(of file: String) -> String { URL(fileURLWithPath: file).pathExtension.lowercased() }
}

/// The program gnuplot, which draws the plots. It is optional.
struct GnuplotProgram {
  private let program: URL
  private let picture: PlotPicture

  /// Finds the program in the folders of PATH; nil without `--plot`. Gnuplot is needed only at the end, but commands call this
  /// initializer first. If gnuplot is missing, they then fail before a long measurement.
  ///
  /// - Throws: ``CommandError`` if gnuplot is missing.
  init?(for options: PlotOptions) throws(CommandError) {
    guard let picture = options.picture else { return nil }
    guard let program = InstalledProgram.find("gnuplot") else {
      throw CommandError("--plot: gnuplot is not installed; install the package gnuplot-nox, or omit --plot")
    }
    (self.program, self.picture) = (program, picture)
  }

  /// Draws the picture. An existing picture is replaced only when the new one is complete.
  ///
  /// - Parameter script: returns the script for a picture.
  /// - Throws: ``CommandError`` if the file cannot be written or the program reports an error.
  func draw(script: (PlotPicture) -> String) throws {
    let (output, format) = (picture.file, picture.format)
    try OutputFile(output, remedy: "give --plot a file in a writable folder").write { path in
      let (status, messages) = try execute(script(PlotPicture(file: path, format: format, size: picture.size)))
      let picture = FileManager.default.contents(atPath: path) ?? Data()
      guard status == 0, !picture.isEmpty else {
        let reason =
          String(decoding: messages, as: UTF8.self).split(separator: "\n").map(String.init)
          .last { !$0.trimmingCharacters(in: .whitespaces).isEmpty } ?? "no picture"
        throw CommandError(
          "\(output): gnuplot failed (\(reason)); install gnuplot 5 with its svg, pngcairo and pdfcairo terminals")
      }
      // Gnuplot does not report that the disk is full.
      let end =
        switch format {
        case .svg: "</svg>"
        case .png: "IEND"
        case .pdf: "%%EOF"
        }
      guard picture.suffix(64).firstRange(of: Data(end.utf8)) != nil else {
        throw CommandError("\(output): gnuplot has not written the whole picture; make room on the disk")
      }
    }
  }

  /// Executes a script. Returns the exit status, and what the program has printed on standard error.
  private func execute(_ script: String) throws -> (status: Int32, messages: Data) {
    let process = Process()
    let (input, errors) = (Pipe(), Pipe())
    process.executableURL = program
    (process.standardInput, process.standardError, process.standardOutput) = (input, errors, FileHandle.nullDevice)
    do {
      try process.run()
      // A gnuplot that ends early closes its input. Writing would then end this program with SIGPIPE.
      signal(SIGPIPE, SIG_IGN)
      try? input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
      try? input.fileHandleForWriting.close()
      let messages = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus, messages)
    } catch {
      throw CommandError("\(program.path): cannot be executed (\(error.reason)); install the package gnuplot-nox again")
    }
  }
}

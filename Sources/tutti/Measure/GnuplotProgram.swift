import ArgumentParser
import Foundation
import Measurement

/// The program gnuplot, which draws the plots. It is optional.
struct GnuplotProgram {
  private let program: URL
  /// The picture file.
  private let output: String

  /// Finds the program in the folders of PATH; nil without a picture `file`. Gnuplot is needed only at the end, but commands call this
  /// initializer first. If gnuplot is missing, they then fail before a long measurement.
  ///
  /// - Throws: ``CommandError`` if gnuplot is missing.
  init?(for file: String?) throws(CommandError) {
    guard let file else { return nil }
    guard let program = InstalledProgram.find("gnuplot") else {
      throw CommandError("--plot: gnuplot is not installed; install the package gnuplot-nox, or omit --plot")
    }
    (self.program, output) = (program, file)
  }

  /// Returns the picture format for the extension of the file name `file`.
  ///
  /// - Throws: `ValidationError` for any other extension.
  static func format(of file: String) throws(ValidationError) -> PlotFormat {
    guard let format = PlotFormat(rawValue: URL(fileURLWithPath: file).pathExtension.lowercased()) else {
      throw ValidationError("--plot \(file): not a supported picture format; give a name that ends with .svg or .png")
    }
    return format
  }

  /// Draws the picture. An existing picture is replaced only when the new one is complete.
  ///
  /// - Parameter script: returns the script for a picture of this name and format.
  /// - Throws: ``CommandError`` if the file cannot be written or the program reports an error.
  func draw(script: (String, PlotFormat) -> String) throws {
    let format = try Self.format(of: output)
    try OutputFile(output, remedy: "give --plot a file in a writable folder").write { path in
      let (status, messages) = try execute(script(path, format))
      let picture = FileManager.default.contents(atPath: path) ?? Data()
      guard status == 0, !picture.isEmpty else {
        let reason =
          String(decoding: messages, as: UTF8.self).split(separator: "\n").map(String.init)
          .last { !$0.trimmingCharacters(in: .whitespaces).isEmpty } ?? "no picture"
        throw CommandError("\(output): gnuplot failed (\(reason)); install gnuplot 5 with its svg and png terminals")
      }
      // Gnuplot does not report that the disk is full.
      let end = format == .svg ? "</svg>" : "IEND"
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

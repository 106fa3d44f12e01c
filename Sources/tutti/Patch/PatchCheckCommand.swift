import ArgumentParser
import Rhythm

/// The subcommand `tutti patch check`.
struct PatchCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check patch files and print each error with its line and column.",
    discussion: "EXAMPLE\n  tutti patch check Patches/*/*.yaml")

  @Argument(help: "Patch files, or names from `tutti patch list`.")
  var files: [String]

  @Flag(help: "Print JSON instead of text.")
  var json = false

  /// The result for one file, for JSON.
  struct Result: Encodable {
    var file: String
    var ok: Bool
    var errors: [String]
    /// A text with the number of further errors; nil if `errors` contains all errors.
    var omission: String?
  }

  func run() throws {
    var results: [Result] = []
    var code = ExitCode.success
    for file in files {
      do {
        _ = try PatchLibrary.load(file)
        results.append(Result(file: file, ok: true, errors: []))
      } catch let error as PatchError {
        // This exit status takes precedence over the exit status of a missing file.
        code = .badData
        results.append(Result(file: file, ok: false, errors: error.faults.map(\.description), omission: error.omission))
      } catch {
        if code == .success { code = .unavailable }
        results.append(Result(file: file, ok: false, errors: ["\(error)"]))
      }
    }
    if json {
      try printJSON(results)
    } else {
      for result in results {
        if result.ok { print("\(result.file): ok") }
        for error in result.errors + [result.omission].compactMap(\.self) { writeToStandardError("tutti: \(error)\n") }
      }
    }
    if code != .success { throw code }
  }
}

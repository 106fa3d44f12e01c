import ArgumentParser
import Measurement
import ScoreFiles
import Scores

/// The subcommand `tutti score check`.
struct ScoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check files of scores and print what the program does not understand.",
    discussion: """
      A finding is a place in a file whose content was changed so that it fits, with its line. An element that is not \
      supported is counted. A file with findings can be played. A file that is refused cannot: the exit status is then \
      65.

      EXAMPLES
        tutti score check concerto.mxl
        tutti score check Patches/scores/*
      """)

  @Argument(help: "Files of scores, or names from `tutti score list`.")
  var files: [String]

  @Flag(help: "Print JSON instead of text.")
  var json = false

  /// The result for one file.
  private struct Result: Encodable {
    struct Finding: Encodable {
      var line: Int
      var found: String
      var consequence: String
    }

    var file: String
    var ok: Bool
    var findings: [Finding] = []
    /// The number of further findings.
    var omitted = 0
    /// How often each element occurs that is not supported.
    var unsupported: [String: Int] = [:]
    /// Why the file is refused or cannot be read.
    var error: String?
  }

  func run() throws {
    var results: [Result] = []
    var code = ExitCode.success
    for file in files {
      do {
        results.append(try check(file))
      } catch let error as ScoreFault {
        // This exit status takes precedence over the exit status of a missing file.
        code = .badData
        results.append(Result(file: file, ok: false, error: error.description))
      } catch {
        if code == .success { code = .unavailable }
        results.append(Result(file: file, ok: false, error: "\(error)"))
      }
    }
    if json {
      try printJSON(results)
    } else {
      for result in results { show(result) }
    }
    if code != .success { throw code }
  }

  private func check(_ file: String) throws -> Result {
    let path = try ScoreLibrary.path(of: file)
    let score = try ScoreImport(octets: ScoreLibrary.octets(of: path), file: path)
    _ = try ScoreLibrary.route(score.score, file: path)
    return Result(
      file: file, ok: true,
      findings: score.findings.map { .init(line: $0.line, found: $0.found, consequence: $0.consequence) },
      omitted: score.findingCount - score.findings.count, unsupported: score.unsupported)
  }

  private func show(_ result: Result) {
    if let error = result.error { return writeToStandardError("tutti: \(error)\n") }
    for finding in result.findings { print("\(result.file):\(finding.line): \(finding.found); \(finding.consequence)") }
    if result.omitted > 0 { print("\(result.file): \(result.omitted) more findings; correct those above first") }
    for (name, count) in result.unsupported.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("\(result.file): \(name) is not supported: \(counted(count, "time"))")
    }
    let count = result.findings.count + result.omitted
    print("\(result.file): ok" + (count == 0 ? "" : ", " + counted(count, "finding")))
  }
}

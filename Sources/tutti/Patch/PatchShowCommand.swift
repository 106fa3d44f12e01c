import ArgumentParser
import Foundation

/// The subcommand `tutti patch show`.
struct PatchShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the layers and steps of a patch.",
    discussion: """
      Each layer is printed with the range of total activity in which it sounds. Each line is one drum, with one \
      character per step: . rest, o ghost note, x normal, X accent, f flam, F flam with accent. A line marked with ! \
      replaces the lines of the same drum above it. A percentage is the chance of each stroke.

      EXAMPLE
        tutti patch show bossa
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    try reportingErrors {
      let patch = try PatchLibrary.load(name)
      if json { return try printJSON(PatchSummary(named: patch.name, patch)) }
      print(PatchGrid(patch), terminator: "")
    }
  }
}

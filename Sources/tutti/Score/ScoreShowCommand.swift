import ArgumentParser
import Foundation
import Measurement
import ScoreFiles
import Scores

/// The subcommand `tutti score show`.
struct ScoreShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the parts of a score, the order of its bars, its tempo and its length.",
    discussion: """
      The route is the order in which the bars are played, with all repeats and jumps: `1-8 1-7 9` plays bars 1 to 8, \
      then bars 1 to 7 again, and then bar 9. The numbers are those in print. With --bars, each played bar is printed \
      with its first MIDI clock tick (24 per quarter note), its pass through a repeated section, its metre, the tempo \
      at its beginning, and the time in minutes and seconds.

      EXAMPLES
        tutti score show two-endings
        tutti score show concerto.mxl --bars
      """)

  @Argument(help: "A name from `tutti score list` or a file.")
  var name: String

  @Flag(help: "Print each played bar.")
  var bars = false

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    let summary = try ScoreSummary(name: name, ScoreLibrary.read(name))
    if json { return try printJSON(summary.json(hasBars: bars)) }
    print(summary.text, terminator: "")
    if bars { print("\n\(summary.barTable)", terminator: "") }
  }
}

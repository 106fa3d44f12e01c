import ArgumentParser
import Foundation
import ScoreFiles
import Scores

/// The subcommand `tutti score list`.
struct ScoreListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the installed scores.",
    discussion: """
      Each line has the name of a score, its first metre and tempo, its length, the number of its parts, and its title.

      EXAMPLE
        tutti score list --json
      """)

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    let names = ScoreLibrary.names
    guard !names.isEmpty else { throw CommandError("scores: none found; \(ScoreLibrary.folderRemedy)") }
    let summaries = try names.map { try ScoreSummary(name: $0, ScoreLibrary.read($0)) }
    if json { return try printJSON(summaries.map { $0.json(hasBars: false) }) }
    let width = names.map(\.count).max() ?? 0
    for summary in summaries {
      let name = summary.name.padding(toLength: width, withPad: " ", startingAt: 0)
      let metre = (summary.metres.first?.text ?? "").padding(toLength: 5, withPad: " ", startingAt: 0)
      let tempo = String(format: "%5.1f BPM", summary.tempos.first.bpm)
      let parts = counted(summary.score.parts.count, "part").padding(toLength: 8, withPad: " ", startingAt: 0)
      print("\(name)  \(metre)\(tempo)  \(summary.lengthText)  \(parts)  \(summary.title)")
    }
  }
}

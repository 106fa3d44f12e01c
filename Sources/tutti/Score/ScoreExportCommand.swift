import ArgumentParser
import Foundation
import ScoreFiles
import Scores

/// The subcommand `tutti score export`.
struct ScoreExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a score to a MIDI file or a MusicXML file.",
    discussion: """
      The suffix of --output decides: .mid for MIDI, .musicxml or .xml for MusicXML. A MIDI file contains what is \
      played: repeats are written out, dynamics are velocities, and the tempo follows ritardandi and fermatas. It has \
      one track for the tempo and one for each part. A MusicXML file contains the score in print.

      EXAMPLES
        tutti score export evening
        tutti score export concerto.mxl --output concerto.musicxml
      """)

  @Argument(help: "A name from `tutti score list` or a file.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Write to this file, and replace it if it exists. (default: for evening.musicxml, evening.mid in the current "
        + "folder; the command then fails if this file exists)", valueName: "FILE"))
  var output: String?

  private enum Form { case midi, musicXML }

  func validate() throws { if let output { _ = try usage { () throws(CommandError) in try Self.form(of: output) } } }

  private static func form(of path: String) throws(CommandError) -> Form {
    switch ScoreLibrary.suffix(of: path) {
    case "mid", "midi": return .midi
    case "musicxml", "xml": return .musicXML
    default:
      throw CommandError("--output \(path): is no kind of file that can be written; end it with .mid or .musicxml")
    }
  }

  func run() throws {
    let score = try ScoreLibrary.read(name).score
    let path = try ScoreLibrary.outputPath(output, for: name, suffix: "mid")
    switch try Self.form(of: path) {
    case .midi:
      let route = try ScoreLibrary.route(score, file: name)
      let octets = try MIDIScoreWriter.octets(score, along: route, tempo: TempoPath(score, along: route))
      try PatchLibrary.write(Data(octets), to: path)
      let notes = EventTable(score, along: route).events.count
      report(path, score, notes: notes, bars: route.bars.count, " with all repeats")
    case .musicXML:
      try ScoreLibrary.writeMusicXML(score, to: path)
      report(path, score, notes: score.noteCount, bars: score.bars.count)
    }
  }

  private func report(_ path: String, _ score: Score, notes: Int, bars: Int, _ how: String = "") {
    let parts = counted(score.parts.count, "part")
    print("\(path): \(counted(notes, "note")), \(counted(bars, "bar"))\(how), \(parts)")
  }
}

extension ScoreLibrary {
  /// The path of a new file: `output`, or the name of the score with another suffix in the current folder.
  ///
  /// - Throws: ``CommandError`` if `output` is nil and the file exists.
  static func outputPath(_ output: String?, for name: String, suffix: String) throws(CommandError) -> String {
    if let output { return output }
    let file = URL(fileURLWithPath: name).lastPathComponent
    let base = self.suffix(of: file).map { String(file.dropLast($0.count + 1)) } ?? file
    let path = "\(base).\(suffix)"
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandError(
        "\(path): already exists; give `--output \(path)` to replace it, or --output with another name")
    }
    return path
  }
}

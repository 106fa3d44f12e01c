import ArgumentParser
import Foundation
import ScoreFiles
import Scores

/// The subcommand `tutti score import`.
struct ScoreImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Convert a MIDI file to a score.",
    discussion: """
      Each track and channel becomes a part. Notes move to the simplest rhythm that fits. Bars, keys and tempos are \
      those of the file; pitches are spelled by the key. The result is a MusicXML file, which a program for music \
      notation can edit.

      EXAMPLES
        tutti score import song.mid
        tutti score import song.mid --output verse.musicxml
      """)

  @Argument(help: "A Standard MIDI File.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "Write to this file, and replace it if it exists. (default: for song.mid, song.musicxml in the current folder; "
        + "the command then fails if this file exists)", valueName: "FILE"))
  var output: String?

  func validate() throws {
    guard let output else { return }
    guard ["musicxml", "xml"].contains(ScoreLibrary.suffix(of: output)) else {
      throw ValidationError("--output \(output): is no name of a MusicXML file; end it with .musicxml")
    }
  }

  func run() throws {
    let octets = try ScoreLibrary.octets(of: file)
    guard octets.starts(with: Array("MThd".utf8)) || octets.starts(with: Array("RIFF".utf8)) else {
      throw CommandError(
        "\(file): is not a MIDI file; give a Standard MIDI File, or use `tutti score export` for a score",
        status: .badData)
    }
    let result = try ScoreImport(octets: octets, file: file)
    let path = try ScoreLibrary.outputPath(output, for: file, suffix: "musicxml")
    try ScoreLibrary.writeMusicXML(result.score, to: path)
    let score = result.score
    let (notes, bars) = (counted(score.noteCount, "note"), counted(score.bars.count, "bar"))
    print("\(path): \(notes), \(bars), \(counted(score.parts.count, "part"))")
    for finding in result.findings { warn("\(finding)") }
    for (name, count) in result.unsupported.sorted(by: { $0.key < $1.key }) { print("not imported: \(name), \(count)") }
  }
}

import ArgumentParser
import Audio
import Foundation
import Measurement
import MusicalTime
import Scores

/// The subcommand `tutti score render`.
struct ScoreRenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Render a score to a WAV file.",
    discussion: """
      The file begins with the beginning of the score and ends two seconds after the last bar. Repeats are written out, \
      and the tempo follows the tempo marks, ritardandi and fermatas. Two renders of the same score with the same \
      options are identical.

      EXAMPLES
        tutti score render evening
        tutti score render ferry-waltz --part Flute --output flute.wav
        tutti score render concerto.mxl
      """)

  @Argument(help: "A name from `tutti score list` or a file.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Render only the parts with this name; `tutti score show` prints the names. (default: all parts)",
      valueName: "NAME"))
  var part: String?

  @Option(
    help: ArgumentHelp(
      "Write to this WAV file, and replace it if it exists. (default: for evening.musicxml, evening.wav in the current "
        + "folder; the command then fails if this file exists)", valueName: "FILE"))
  var output: String?

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use this SoundFont (SF2 or SF3).", valueName: "FILE"))
  var soundFont = SoundModule.defaultSoundFont

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let score = try ScoreLibrary.read(name).score
    let source = ScoreSource(
      score, along: try ScoreLibrary.route(score, file: name), parts: try Self.parts(named: part, in: score, name))
    guard source.end < Instant(nanoseconds: 6 * 3_600 * 1_000_000_000) else {
      throw CommandError("score \(name): lasts longer than six hours; use fewer repeats", status: .badData)
    }
    let path = try ScoreLibrary.outputPath(output, for: name, suffix: "wav")
    let terminal = Terminal()
    defer { terminal.end() }
    let result = try FileRender(source, soundFont: soundFont, path: path) { terminal.showStatus("rendering: \($0)%") }
    if json {
      return try printJSON(
        [
          "file": path, "seconds": result.seconds, "notes": result.count, "dropped_notes": result.dropped,
          "clipped_samples": result.clippedSamples,
        ] as JSONObject)
    }
    print("\(path): \(String(format: "%.1f", result.seconds)) s, \(result.count) notes", terminator: "")
    if result.dropped > 0 { print(", \(result.dropped) notes left out because too many sounded", terminator: "") }
    print(result.clippedSamples == 0 ? "" : ", \(result.clippedSamples) samples too loud and clipped")
  }

  /// The numbers of the parts with a name, in capital or small letters; of all parts if the name is nil.
  ///
  /// - Throws: ``CommandError`` if there is no such part.
  static func parts(named name: String?, in score: Score, _ file: String) throws(CommandError) -> Set<Int> {
    guard let name else { return Set(score.parts.indices) }
    let parts = score.parts.indices.filter { score.parts[$0].name.lowercased() == name.lowercased() }
    guard parts.isEmpty else { return Set(parts) }
    let names = score.parts.map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
    throw CommandError("score \(file): has no part \(name); give --part one of: \(names)")
  }
}

import ArgumentParser
import Engine
import Foundation
import MIDI
import Measurement
import MusicalTime
import Rhythm

/// The subcommand `tutti patch import`.
struct PatchImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Convert a MIDI drum file to a patch.",
    discussion: """
      The notes of channel 10, or of --channel, become lines of a rhythm. A line contains the notes of one drum, with one character for \
      each sixteenth note or for each note of a triplet. Each note moves to the nearest sixteenth note, or to the \
      nearest sixteenth-note triplet if that is nearer. Velocities 1 to 72 become soft notes (o), 73 to 104 normal \
      strokes (x), 105 to 127 accents (X). A softer note at most 40 ms before a note of the same drum becomes the \
      grace note of a flam. Only the first tempo and the first time signature are used. A file with a tempo below 20 or above 999 BPM \
      needs --bpm. All lines are in the layer \
      `always`; edit the file to move lines to other layers.

      EXAMPLES
        tutti patch import groove.mid
        tutti patch import song.mid --first-bar 9 --bars 4 --output verse.yaml
        tutti patch import loop.mid --channel 1 --bpm 96
      """)

  @Argument(help: "A Standard MIDI File.")
  var file: String

  @Option(help: ArgumentHelp("Begin with this bar, counted from 1.", valueName: "N"))
  var firstBar = 1

  @Option(help: ArgumentHelp("Import at most this number of bars, 1...8.", valueName: "N"))
  var bars = Line.maximumBars

  @Option(help: ArgumentHelp("Import the notes of this channel, 1...16.", valueName: "N"))
  var channel = 10

  @Option(help: ArgumentHelp("Set the tempo of the rhythm, 20...999. (default: from the file)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Write to this file, and replace it if it exists. (default: for groove.mid, groove.yaml in the current folder; "
        + "the command then fails if this file exists)", valueName: "FILE"))
  var output: String?

  func validate() throws {
    try check("--first-bar", firstBar, in: 1...Int.max, "1 or more")
    try check("--bars", bars, in: 1...Line.maximumBars, "1 to \(Line.maximumBars)")
    try check("--channel", channel, in: 1...16, "1 to 16")
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  func run() throws {
    let midi = try StandardMIDIFile(path: file)
    let base = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
    let name = String(base.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
    let tempo = try bpm.map { try Tempo(bpm: $0) }
    let patch: PatchImport
    do throws(ImportError) {
      patch = try PatchImport(
        midi, name: "\"\(name)\"", firstBar: firstBar - 1, bars: bars, channel: Channel(wire: UInt8(channel - 1)),
        tempo: tempo)
    } catch { throw CommandError("\(file): \(error)", status: .badData) }
    // The limits of patches are checked before the file is written.
    do throws(PatchError) { _ = try PatchLoader.patch(from: patch.text, file: file) } catch {
      let reason = error.faults.first.map { "\($0.field): \($0.reason)" } ?? ""
      throw CommandError(
        "\(file): cannot become a patch (\(reason)); give a smaller --bars, or remove drums from the file",
        status: .badData)
    }
    let path = output ?? "\(base).yaml"
    guard output != nil || !FileManager.default.fileExists(atPath: path) else {
      throw CommandError(
        "\(path): already exists; give `--output \(path)` to replace it, or --output with another name")
    }
    try PatchLibrary.write(Data(patch.text.utf8), to: path)
    if let tempo = patch.timeCodeTempo {
      warn("\(file): counts time in SMPTE frames, so bars are only known for a tempo; \(tempo.bpm) BPM is used")
    }
    print("\(path): \(patch.noteCount) notes of bars \(patch.bars.lowerBound + 1) to \(patch.bars.upperBound)")
    if patch.unused > 0 {
      print(
        "notes not imported: \(patch.unused); another note has the same position, or the note is after the last bar")
    }
    let rest = patch.barCount - patch.bars.count
    if rest > 0 { print("bars not imported: \(rest); choose bars with --first-bar and --bars") }
  }
}

extension StandardMIDIFile {
  /// Reads the file at `path`.
  ///
  /// - Throws: ``CommandError`` if it is not a Standard MIDI File, ``CommandError`` if it cannot be read.
  init(path: String) throws {
    let data: Data
    // With one byte more than permitted, `init(bytes:)` reports that the file is too long.
    do { data = try Data(contentsOf: path, limit: Self.maximumBytes + 1) } catch {
      throw CommandError("\(path): cannot be read (\(error.reason)); check the path and the permissions")
    }
    var warnings = Warnings()
    do throws(ReadError) { try self.init(bytes: Array(data), &warnings) } catch {
      throw CommandError("\(path): \(error); give a Standard MIDI File", status: .badData)
    }
    for warning in warnings.first { warn("\(path): \(warning)") }
    let rest = warnings.count - warnings.first.count
    if rest > 0 { warn("\(path): \(rest) more faults of this kind") }
  }
}

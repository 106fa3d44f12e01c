import ArgumentParser
import Foundation
import MIDI
import MusicalTime
import Rhythm

/// The subcommand `tutti patch export`.
struct PatchExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the notes of a rhythm to a MIDI file.",
    discussion: """
      The file contains the notes that the rhythm plays at a constant total activity of all players (--activity). The \
      drums are on channel 10. If the rhythm has pitched parts, the bass is on channel 2, the guitar on channel 3 and \
      the keys on channel 4. A quarter note has 960 ticks. The note times include the swing and the feel of the \
      rhythm. The feel is a fixed time by which a drum or a part plays late or early. A fill can sound only in the \
      last bar of a group of bars, for example in bars 8 and 16, and only from a certain activity on. Some fills then \
      sound only with a certain chance. `tutti patch show` prints the length of the group, the activity and the \
      chance. With the default of --bars, the file often ends before the first fill.

      EXAMPLES
        tutti patch export street
        tutti patch export motown --bars 8
        tutti patch export bossa --activity 100 --bars 16 --output bossa.mid
      """)

  @Argument(help: "The name of a rhythm from `tutti patch list`, or a file that contains a rhythm.")
  var name: String

  @Option(help: ArgumentHelp("Set the total activity, 0 (sparse) to 127 (dense).", valueName: "A"))
  var activity: UInt8 = 64

  @Option(
    help: ArgumentHelp(
      "Set the number of bars, 1...1000. (default: one repetition of the whole pattern; `tutti patch show` prints its "
        + "length)", valueName: "N"))
  var bars: Int?

  @Option(help: ArgumentHelp("Set the tempo, 20...999. (default: from the patch)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Write to this file, and replace it if it exists. (default: for my-rhythm.yaml, my-rhythm.mid in the current "
        + "folder)", valueName: "FILE"))
  var output: String?

  func validate() throws {
    try check("--activity", activity, in: 0...127, "0 to 127")
    if let bars { try check("--bars", bars, in: 1...1000, "1 to 1000") }
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  func run() throws {
    let patch = try PatchLibrary.rhythm(name)
    let tempo = try bpm.map { try Tempo(bpm: $0) } ?? patch.tempo
    let file = StandardMIDIFile(patch, tempo: tempo, activity: activity, bars: bars ?? patch.bars)
    let path = output ?? PatchLibrary.outputName(of: name) + ".mid"
    let bytes: [UInt8]
    // The notes of a patch form a valid MIDI file, unless there are too many of them.
    do throws(StandardMIDIFile.WriteError) { bytes = try file.bytes() } catch {
      throw CommandError("\(path): \(error.reason); give fewer --bars", status: .badData)
    }
    try PatchLibrary.write(Data(bytes), to: path)
    let notes = file.tracks.flatMap(\.events).count {
      if case .message(let message) = $0.content { message.startsNote } else { false }
    }
    print("\(path): \(notes) notes, \(bars ?? patch.bars) bar\((bars ?? patch.bars) == 1 ? "" : "s")")
  }
}

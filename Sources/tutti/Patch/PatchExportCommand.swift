import ArgumentParser
import Foundation
import MIDI
import MusicalTime
import Rhythm

/// The subcommand `tutti patch export`.
struct PatchExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the hits of a rhythm to a MIDI file.",
    discussion: """
      The file contains the hits at one activity, with 960 ticks per quarter note: the drums on channel 10, the bass of a \
      style on channel 2, its guitar on channel 3 and its keys on channel 4. The note times include swing and feel. A fill \
      occurs only if --bars reaches it. An existing file is replaced.

      EXAMPLES
        tutti patch export street
        tutti patch export motown --bars 8
        tutti patch export bossa --activity 100 --bars 16 --output bossa.mid
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Option(help: ArgumentHelp("Set the total activity, 0 (sparse) to 127 (dense).", valueName: "A"))
  var activity: UInt8 = 64

  @Option(help: ArgumentHelp("Set the number of bars, 1...1000. (default: the length of the pattern)", valueName: "N"))
  var bars: Int?

  @Option(help: ArgumentHelp("Set the tempo, 20...999. (default: from the patch)", valueName: "BPM"))
  var bpm: Double?

  @Option(help: ArgumentHelp("Write to this file. (default: the name of the patch with .mid)", valueName: "FILE"))
  var output: String?

  func validate() throws {
    guard activity <= 127 else { throw ValidationError("--activity \(activity): out of range; give 0 to 127") }
    if let bars {
      guard (1...1000).contains(bars) else { throw ValidationError("--bars \(bars): out of range; give 1 to 1000") }
    }
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  func run() throws {
    try reportingErrors {
      let patch = try PatchLibrary.rhythm(name)
      let tempo = try bpm.map { try Tempo(bpm: $0) } ?? patch.tempo
      let file = StandardMIDIFile(patch, tempo: tempo, activity: activity, bars: bars ?? patch.bars)
      let path = output ?? "\(PatchFile.rhythm(patch).fileName).mid"
      let bytes: [UInt8]
      // The hits of a patch are a valid MIDI file, unless they are too many.
      do throws(StandardMIDIFile.WriteError) { bytes = try file.bytes() } catch {
        throw MIDIFileError(description: "\(path): \(error.reason); give fewer --bars")
      }
      try PatchLibrary.write(Data(bytes), to: path)
      let notes = file.tracks.flatMap(\.events).count {
        if case .message(let message) = $0.content { message.startsNote } else { false }
      }
      print("\(path): \(notes) notes, \(bars ?? patch.bars) bar\((bars ?? patch.bars) == 1 ? "" : "s")")
    }
  }
}

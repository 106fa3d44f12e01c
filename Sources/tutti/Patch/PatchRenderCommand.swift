import ArgumentParser
import Audio
import Foundation
import MusicalTime
import Rhythm

/// The subcommand `tutti patch render`.
struct PatchRenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Render a patch to a WAV file.",
    discussion: """
      The file begins with the first downbeat and ends two seconds after the last bar. Two renders of the same patch \
      with the same options are identical.

      EXAMPLES
        tutti patch render street
        tutti patch render bossa --activity 100 --bars 16 --output bossa-100.wav
        tutti patch render pulse --ramp
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Option(help: ArgumentHelp("Set the total activity, 0 (sparse) to 127 (dense).", valueName: "A"))
  var activity: UInt8 = 64

  @Flag(help: "Raise the activity from 0 to 127 over the file, on each quarter note. --activity has no effect.")
  var ramp = false

  @Option(help: ArgumentHelp("Set the number of bars, 1...1000. (default: 8; with --ramp: 32)", valueName: "N"))
  var bars: Int?

  @Option(help: ArgumentHelp("Set the tempo, 20...999. (default: from the patch)", valueName: "BPM"))
  var bpm: Double?

  @Option(help: ArgumentHelp("Write to this WAV file. (default: the name of the patch with .wav)", valueName: "FILE"))
  var output: String?

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use this SoundFont (SF2 or SF3).", valueName: "FILE"))
  var soundFont = DrumLanes.defaultSoundFont

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    guard activity <= 127 else { throw ValidationError("--activity \(activity): out of range; give 0 to 127") }
    if let bars {
      guard (1...1000).contains(bars) else { throw ValidationError("--bars \(bars): out of range; give 1 to 1000") }
    }
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  struct Result: Encodable {
    var file: String
    var seconds: Double
    var hits: Int64
    var clippedSamples: Int64

    enum CodingKeys: String, CodingKey {
      case file, seconds, hits
      case clippedSamples = "clipped_samples"
    }
  }

  func run() throws {
    try reportingErrors {
      let patch = try PatchLibrary.load(name)
      let path = output ?? patch.fileName + ".wav"
      let tempo = try bpm.map { try Tempo(bpm: $0) } ?? patch.tempo
      let length = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0))
        .deadline(Tick(Int64(bars ?? 32) * patch.meter.ticksPerBar))
      guard length < Instant(nanoseconds: 6 * 3_600 * 1_000_000_000) else {
        throw ValidationError("--bars: the file would be longer than six hours; give fewer bars")
      }
      let terminal = Terminal()
      var render = try PatchRender(
        patch, tempo: tempo, bars: Int64(bars ?? (ramp ? 32 : 8)), activity: ramp ? nil : activity,
        soundFont: soundFont, path: path)
      defer {
        terminal.clearStatus()
        terminal.flush()
      }
      try render.run { percent in
        if terminal.isInteractive { terminal.showStatus("rendering: \(percent)%") }
      }
      let result = Result(
        file: path, seconds: render.seconds, hits: render.hits, clippedSamples: render.clippedSamples)
      if json { return try printJSON(result) }
      print("\(path): \(String(format: "%.1f", result.seconds)) s, \(result.hits) hits", terminator: "")
      print(result.clippedSamples == 0 ? "" : ", \(result.clippedSamples) samples clipped")
    }
  }
}

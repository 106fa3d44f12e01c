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

      An instrument is rendered in 4/4 with a simulated player. The player tilts the device forward and back once in \
      four bars, and sideways and back once in six bars. The activity of the player and the force (how strongly the \
      player acts) both have the value of --activity, or rise with --ramp.

      EXAMPLES
        tutti patch render street
        tutti patch render bossa --activity 100 --bars 16 --output bossa-100.wav
        tutti patch render pulse --ramp
        tutti patch render tilt-harp --ramp
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Set the total activity of all players (rhythm) or the activity of the simulated player (instrument), 0 (sparse) "
        + "to 127 (dense).", valueName: "A"))
  var activity: UInt8 = 64

  @Flag(
    help: ArgumentHelp(
      "Raise the activity evenly, from 0 on the first quarter note to 127 on the last one. If the patch has the field "
        + "`change: bar`, the activity changes at each bar instead, and is 127 if there is only one bar. With --ramp, "
        + "--activity has no effect."))
  var ramp = false

  @Option(help: ArgumentHelp("Set the number of bars, 1...1000. (default: 8; with --ramp: 32)", valueName: "N"))
  var bars: Int?

  @Option(
    help: ArgumentHelp("Set the tempo, 20...999. (default: from the rhythm; for an instrument: 100)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Write to this WAV file. (default: NAME.wav in the current folder, where NAME is the field `name` of the patch) "
        + "An existing file is replaced.", valueName: "FILE"))
  var output: String?

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use this SoundFont (SF2 or SF3).", valueName: "FILE"))
  var soundFont = DrumLanes.defaultSoundFont

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    try check("--activity", activity, in: 0...127, "0 to 127")
    if let bars { try check("--bars", bars, in: 1...1000, "1 to 1000") }
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  /// The result. Hits are counted for a rhythm, notes for an instrument.
  private struct Result: Encodable {
    var file: String
    var seconds: Double
    var hits, notes: Int64?
    var clippedSamples: Int64

    func encode(to encoder: any Encoder) throws {
      try encoder.encode([
        "file": file, "seconds": seconds, "hits": hits, "notes": notes, "clipped_samples": clippedSamples,
      ])
    }
  }

  func run() throws {
    try reportingErrors {
      let patch = try PatchLibrary.load(name)
      let path = output ?? patch.fileName + ".wav"
      let bars = Int64(bars ?? (ramp ? 32 : 8))
      let level = ramp ? nil : activity
      let result: Result
      switch patch {
      case .rhythm(let patch):
        let tempo = try bpm.map { try Tempo(bpm: $0) } ?? patch.tempo
        try checkLength(Tick(bars * patch.meter.ticksPerBar), tempo: tempo)
        var render = try PatchRender(
          patch, tempo: tempo, bars: bars, activity: level, soundFont: soundFont, path: path)
        try showingProgress { try render.run(progress: $0) }
        result = Result(
          file: path, seconds: render.seconds, hits: render.hits, clippedSamples: render.clippedSamples)
      case .instrument(let instrument):
        let tempo = try Tempo(bpm: bpm ?? InstrumentRender.standardTempo)
        try checkLength(Tick(bars * Meter.common.ticksPerBar), tempo: tempo)
        var render = try InstrumentRender(
          instrument, tempo: tempo, bars: bars, level: level, soundFont: soundFont, path: path)
        try showingProgress { try render.run(progress: $0) }
        result = Result(
          file: path, seconds: render.seconds, notes: render.notes, clippedSamples: render.clippedSamples)
      }
      if json { return try printJSON(result) }
      let count = result.hits.map { "\($0) hits" } ?? "\(result.notes ?? 0) notes"
      print("\(path): \(String(format: "%.1f", result.seconds)) s, \(count)", terminator: "")
      print(result.clippedSamples == 0 ? "" : ", \(result.clippedSamples) samples too loud and clipped")
    }
  }

  /// Checks the length of the recording.
  ///
  /// - Throws: `ValidationError` if the recording would be longer than six hours.
  private func checkLength(_ end: Tick, tempo: Tempo) throws {
    let length = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0)).deadline(end)
    guard length < Instant(nanoseconds: 6 * 3_600 * 1_000_000_000) else {
      throw ValidationError("--bars: the file would be longer than six hours; give fewer bars")
    }
  }

  /// Calls `render` with a function that shows the progress in percent.
  private func showingProgress(_ render: ((Int) -> Void) throws -> Void) throws {
    let terminal = Terminal()
    defer { terminal.end() }
    try render { percent in
      if terminal.isInteractive { terminal.showStatus("rendering: \(percent)%") }
    }
  }
}

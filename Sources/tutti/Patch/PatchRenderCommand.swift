import ArgumentParser
import Audio
import Foundation
import Measurement
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
        tutti patch render my-rhythm.yaml
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
      "Write to this WAV file, and replace it if it exists. (default: for my-rhythm.yaml, my-rhythm.wav in the current "
        + "folder)", valueName: "FILE"))
  var output: String?

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use this SoundFont (SF2 or SF3).", valueName: "FILE"))
  var soundFont = SoundModule.defaultSoundFont

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    try check("--activity", activity, in: 0...127, "0 to 127")
    if let bars { try check("--bars", bars, in: 1...1000, "1 to 1000") }
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
  }

  func run() throws {
    let patch = try PatchLibrary.load(name)
    let path = output ?? PatchLibrary.outputName(of: name) + ".wav"
    let bars = Int64(bars ?? (ramp ? 32 : 8))
    let level = ramp ? nil : activity
    let (result, unit): (FileRender, String)
    switch patch {
    case .rhythm(let patch):
      let tempo = try bpm.map { try Tempo(bpm: $0) } ?? patch.tempo
      try checkLength(Tick(bars * patch.meter.ticksPerBar), tempo: tempo)
      result = try render(RhythmSource(patch, tempo: tempo, bars: bars, activity: level), to: path)
      unit = "hits"
    case .instrument(let instrument):
      let tempo = try Tempo(bpm: bpm ?? InstrumentSource.standardTempo)
      try checkLength(Tick(bars * Meter.common.ticksPerBar), tempo: tempo)
      result = try render(InstrumentSource(instrument, tempo: tempo, bars: bars, level: level), to: path)
      unit = "notes"
    }
    if json {
      return try printJSON(
        [
          "file": path, "seconds": result.seconds, unit: result.count, "clipped_samples": result.clippedSamples,
        ] as JSONObject)
    }
    print("\(path): \(String(format: "%.1f", result.seconds)) s, \(result.count) \(unit)", terminator: "")
    print(result.clippedSamples == 0 ? "" : ", \(result.clippedSamples) samples too loud and clipped")
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

  /// Renders `source` and shows the progress.
  private func render(_ source: some RenderSource, to path: String) throws -> FileRender {
    let terminal = Terminal()
    defer { terminal.end() }
    return try FileRender(source, soundFont: soundFont, path: path) { terminal.showStatus("rendering: \($0)%") }
  }
}

import ArgumentParser
import Audio
import Engine
import Foundation
import MusicalTime
import Rhythm

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Let several peers play together on this machine, and measure how well they did.",
    discussion: """
      Each peer is a process of its own that renders to a WAV file; where there is a sound card the first is heard through it. \
      The first peer starts the rhythm, \
      the others follow its clock over loopback. The table at the end compares every peer with the first: by what each thought \
      the time was (clock), and by what is heard in the recordings (sound).

      EXAMPLES
        tutti demo
        tutti demo --peers 8 --bars 4 --bpm 174 --patch pulse --activity 127
        tutti demo --output /tmp/demo --json
      """)

  @Option(help: "How many peers, 2...16.")
  var peers = 4

  @Option(help: "How many bars, 1...1000.")
  var bars = 8

  @Option(help: ArgumentHelp("Tempo in beats a minute, 20...999.", valueName: "B"))
  var bpm = 120.0

  @Option(help: "The rhythm to play: a name from `tutti patch list` or a file.")
  var patch = PatchLibrary.standard

  @Option(help: ArgumentHelp("Everybody's activity, 0...127: the more, the richer the rhythm.", valueName: "A"))
  var activity: UInt8 = 64

  @Option(help: ArgumentHelp("The folder for recordings and traces; made when it is not there.", valueName: "DIR"))
  var output = "tutti-demo"

  @Flag(help: "Print one JSON object instead of the table.")
  var json = false

  func validate() throws {
    guard (2...16).contains(peers) else { throw ValidationError("--peers \(peers): out of range; give 2 to 16") }
    guard (1...1000).contains(bars) else { throw ValidationError("--bars \(bars): out of range; give 1 to 1000") }
    guard activity <= 127 else { throw ValidationError("--activity \(activity): out of range; give one from 0 to 127") }
    _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) }
  }

  func run() throws {
    try reportingFailures {
      let rhythm = try PatchLibrary.load(patch)
      let tempo = try Tempo(bpm: bpm)
      do {
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      } catch {
        throw EngineError("folder \(output): cannot be made; give --output a folder that can be written")
      }
      let terminal = Terminal()
      let isHeard = PCMDevices.canOpen() && (try? PCMDevice("default")) != nil
      let band = try DemoBand(self, tempo: tempo, ticks: Int64(bars) * rhythm.meter.ticksPerBar, isHeard: isHeard)
      if !json {
        let heard =
          isHeard ? "peer 1 is heard through the sound card" : "no sound card that can be used, so nothing is heard"
        terminal.say("\(peers) peers, \(bars) bars of \(patch) at \(bpm) BPM, recorded into \(output); \(heard)")
      }
      let interrupted = band.play(terminal)
      terminal.clear()
      let failures = band.failures
      for failure in failures { terminal.say("tutti: \(failure)") }
      guard failures.isEmpty else { throw ExitCode.unavailable }
      let report = try DemoReport(self, patch: rhythm, files: band.files)
      if json { try printJSON(report) } else { print(report, terminator: "") }
      if interrupted { throw ExitCode(130) }
    }
  }
}

import ArgumentParser
import Foundation
import MusicalTime
import Rhythm

/// The subcommand `tutti patch`.
struct PatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "List, show and check patches.",
    discussion: """
      A patch is a YAML file that describes a rhythm as layers. A layer sounds while the total activity is in its range.

      If you give a patch by name, the program looks for it in these folders, in this order:
        1. the folder in the environment variable TUTTI_PATCHES
        2. Patches and share/tutti/Patches, beside the program and in each folder
           above it

      A name that contains / or ends with .yaml is the path of a file.

      EXAMPLES
        tutti patch list
        tutti patch show street
        tutti patch check my-rhythm.yaml
      """,
    subcommands: [List.self, Show.self, Check.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the installed patches.", discussion: "EXAMPLE\n  tutti patch list --json")

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
      try reportingErrors {
        let names = PatchLibrary.names
        guard !names.isEmpty else {
          throw PatchLibrary.NotFound(description: "patches: none found; \(PatchLibrary.folderRemedy)")
        }
        let patches = try names.map { PatchSummary(named: $0, try PatchLibrary.load($0)) }
        if json { return try printJSON(patches) }
        let width = names.map(\.count).max() ?? 0
        for patch in patches {
          let tempo = String(format: "%5.1f BPM", patch.bpm)
          print(
            "\(patch.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(patch.meter)  \(tempo)  \(patch.description)"
          )
        }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the layers and steps of a patch.",
      discussion: """
        Each layer is printed with the range of total activity in which it sounds. Each line is one drum, with one \
        character per step (sixteenth note): . rest, o soft, x normal, X accent.

        EXAMPLE
          tutti patch show bossa
        """)

    @Argument(help: "A name from `tutti patch list` or a file.")
    var name: String

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
      try reportingErrors {
        let patch = try PatchLibrary.load(name)
        if json { return try printJSON(PatchSummary(named: patch.name, patch)) }
        print("\(patch.name): \(patch.description)")
        print(
          String(
            format: "%d/%d, %d bar%@, %.1f BPM", patch.meter.beats, patch.meter.unit, patch.bars,
            patch.bars == 1 ? "" : "s", patch.tempo.bpm))
        let width = patch.kit.map(\.name.count).max() ?? 0
        for layer in patch.layers {
          print("\n\(layer.name) (activity \(layer.activity.lowerBound) to \(layer.activity.upperBound))")
          for track in layer.tracks {
            let voice = patch.kit[track.voice].name.padding(toLength: width, withPad: " ", startingAt: 0)
            print("  \(voice)  \(steps(track, of: patch))")
          }
        }
      }
    }

    /// The steps of `track`, one character per step, with a space before each beat and a bar line before each bar.
    private func steps(_ track: Layer.Track, of patch: Patch) -> String {
      var text = ""
      for (n, stroke) in track.strokes.enumerated() {
        if n > 0, n % Int(patch.meter.stepsPerBar) == 0 { text += " |" }
        if n > 0, n % Int(patch.meter.stepsPerBeat) == 0 { text += " " }
        text.append(stroke?.character ?? ".")
      }
      return text
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check patch files and print each error with its line.",
      discussion: "EXAMPLE\n  tutti patch check Patches/*.yaml")

    @Argument(help: "Patch files, or names from `tutti patch list`.")
    var files: [String]

    @Flag(help: "Print JSON instead of text.")
    var json = false

    struct Result: Encodable {
      var file: String
      var ok: Bool
      var errors: [String]
    }

    func run() throws {
      var results: [Result] = []
      var code = ExitCode.success
      for file in files {
        do {
          _ = try PatchLibrary.load(file)
          results.append(Result(file: file, ok: true, errors: []))
        } catch let error as PatchError {
          // This exit status takes precedence over that of a missing file.
          code = .badData
          results.append(Result(file: file, ok: false, errors: error.faults.map(\.description)))
        } catch {
          if code == .success { code = .unavailable }
          results.append(Result(file: file, ok: false, errors: ["\(error)"]))
        }
      }
      if json {
        try printJSON(results)
      } else {
        for result in results {
          if result.ok { print("\(result.file): ok") }
          for error in result.errors { writeToStandardError("tutti: \(error)\n") }
        }
      }
      if code != .success { throw code }
    }
  }
}

/// The JSON form of a patch.
private struct PatchSummary: Encodable {
  struct LayerSummary: Encodable {
    var name: String
    var from: UInt8
    var to: UInt8
  }

  var name: String
  var description: String
  var meter: String
  var bars: Int
  var bpm: Double
  var steps: Int
  var voices: [String]
  var layers: [LayerSummary]

  init(named name: String, _ patch: Patch) {
    self.name = name
    description = patch.description
    meter = "\(patch.meter.beats)/\(patch.meter.unit)"
    bars = patch.bars
    bpm = (patch.tempo.bpm * 1000).rounded() / 1000
    steps = patch.stepCount
    voices = patch.kit.map(\.name)
    layers = patch.layers.map {
      LayerSummary(name: $0.name, from: $0.activity.lowerBound, to: $0.activity.upperBound)
    }
  }
}

/// Prints `value` as one JSON text on standard output.
func printJSON(_ value: some Encodable) throws {
  print(String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self))
}

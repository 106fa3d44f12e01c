import ArgumentParser
import Audio
import Foundation
import Measurement
import MusicalTime

struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure how well peers keep time, from their traces or recordings.",
    discussion: """
      EXAMPLES
        tutti measure sync master.trace ada.trace
        tutti measure audio master.wav ada.wav --json
      """,
    subcommands: [Sync.self, Audio.self])

  /// Clocks that are ahead, as peers in time namespaces of their own have them.
  struct Clocks: ParsableArguments {
    @Option(
      parsing: .upToNextOption,
      help: ArgumentHelp(
        "Seconds by which each file's clock is ahead, in the order of the files (peers in time namespaces).",
        valueName: "S"))
    var clockAhead: [Double] = []

    func lengths() throws -> [Nanoseconds] {
      try clockAhead.map { seconds in
        guard abs(seconds) < 2e9 else {
          throw ValidationError("--clock-ahead \(seconds): out of range; give seconds below 2000000000")
        }
        return Nanoseconds(Int64((seconds * 1e9).rounded()))
      }
    }
  }

  struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compare traces: when the same tick was due and acted on at each peer.",
      discussion: """
        The first trace is the reference, normally the master's. Traces are what `tutti peer --trace FILE` wrote.

        EXAMPLES
          tutti measure sync master.trace ada.trace ben.trace
          tutti measure sync --clock-ahead 0 98765 -- master.trace ada.trace
        """)

    @Argument(help: "Traces, the reference first.")
    var traces: [String]

    @OptionGroup var clocks: Clocks

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
      guard traces.count >= 2 else { throw ValidationError("give two traces or more, the reference first") }
      _ = try clocks.lengths()
    }

    func run() throws {
      try reportingFailures {
        let report = try SyncReport(
          traces: try traces.map { try Trace(contentsOf: $0) }, clockAhead: try clocks.lengths())
        if json { try printJSON(report) } else { print(report, terminator: "") }
      }
    }
  }

  struct Audio: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compare recordings: when the same hit sounded in each.",
      discussion: """
        The first recording is the reference. Recordings line up by their Broadcast Wave time reference, as `tutti peer \
        --audio wav:FILE` writes it; files without one are taken to begin together.

        EXAMPLES
          tutti measure audio master.wav ada.wav
          tutti measure audio --clock-ahead 0 98765 -- master.wav ada.wav
        """)

    @Argument(help: "Recordings, the reference first.")
    var recordings: [String]

    @OptionGroup var clocks: Clocks

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
      guard recordings.count >= 2 else { throw ValidationError("give two recordings or more, the reference first") }
      _ = try clocks.lengths()
    }

    func run() throws {
      try reportingFailures {
        let report = try AudioReport(
          recordings: try recordings.map { try Recording(file: $0) }, clockAhead: try clocks.lengths())
        if json { try printJSON(report) } else { print(report, terminator: "") }
      }
    }
  }
}

extension Recording {
  /// Reads the sound file at `path`; its first frame's instant is that of its time reference, or 0 without one.
  init(file path: String) throws {
    let file = try SoundFile(path: path)
    let (seconds, frames) = (file.firstFrame ?? 0).quotientAndRemainder(dividingBy: Int64(file.rate))
    self.init(
      name: URL(fileURLWithPath: path).lastPathComponent, samples: file.samples, rate: file.rate,
      firstInstant: Instant(nanoseconds: 0) + .seconds(seconds) + Nanoseconds(frames * 1_000_000_000 / Int64(file.rate))
    )
  }
}

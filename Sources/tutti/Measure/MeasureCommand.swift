import ArgumentParser
import Audio
import Foundation
import Measurement
import MusicalTime

/// The subcommand `tutti measure`.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure a clock, or compare the timing of peers, from traces or recordings.",
    discussion: """
      EXAMPLES
        tutti measure clock master.trace
        tutti measure sync master.trace ada.trace
        tutti measure audio master.wav ada.wav --json
      """,
    subcommands: [ClockCommand.self, Sync.self, Audio.self])

  /// Known clock offsets between the files, as in measurements with one time namespace for each peer.
  struct Clocks: ParsableArguments {
    @Option(
      name: .customLong("clock-ahead"), parsing: .upToNextOption,
      help: ArgumentHelp(
        "Subtract S seconds from all times in a file. Give one value for each file, in the same order, and -- after the "
          + "last value. Needed only if the peers ran in different Linux time namespaces. (default: 0 for each file)",
        valueName: "S"))
    var clockOffsets: [Double] = []

    /// Returns the offsets in nanoseconds.
    ///
    /// - Throws: `ValidationError` for an offset out of range.
    func offsets() throws -> [Nanoseconds] {
      try clockOffsets.map { seconds in
        guard abs(seconds) < 2e9 else {
          throw ValidationError("--clock-ahead \(seconds): out of range; give less than 2000000000 seconds (63 years)")
        }
        return Nanoseconds(Int64((seconds * 1e9).rounded()))
      }
    }
  }

  struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compare traces: when the same tick was due on each peer, and when the peer sent or played it.",
      discussion: """
        `tutti peer --trace FILE` writes a trace. The first trace is the reference, normally that of the master. All peers \
        must have run on one machine, because a trace contains the times of its machine's clock.

        TABLES
          Offset    time between the same tick on a peer and on the reference;
                    skipped: ticks that one of the two traces lacks
          Lateness  time from the instant at which a tick was due until the peer sent
                    or played the tick
          Counts    totals over the whole run of each peer, such as lost ticks

        Times are in microseconds: p50 is the median, p99 the 99th percentile; |p50| is the median of the magnitudes.

        EXAMPLES
          tutti measure sync master.trace ada.trace ben.trace
          tutti measure sync --clock-ahead 0 98765 -- master.trace ada.trace
        """)

    @Argument(help: "Traces; the first one is the reference.")
    var traces: [String]

    @OptionGroup var clocks: Clocks

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func validate() throws {
      guard traces.count >= 2 else {
        throw ValidationError("traces: fewer than two; give two or more, the reference first")
      }
      _ = try clocks.offsets()
    }

    func run() throws {
      try reportingErrors {
        let report = try SyncReport(
          traces: try traces.map { try Trace(contentsOf: $0) }, clockOffsets: try clocks.offsets())
        if json { try printJSON(report) } else { print(report, terminator: "") }
      }
    }
  }

  struct Audio: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compare recordings: when the same hit sounds in each recording.",
      discussion: """
        `tutti peer --audio wav:FILE` writes a recording. The first recording is the reference. Recordings are aligned by \
        their Broadcast Wave time reference, which counts from the start of the machine. Therefore compare only recordings \
        of one machine. Files without a time reference must begin at the same instant.

        TABLE
          matched     hits that are in both recordings
          correlated  matched hits that sound alike: exact to one frame
          missing     hits of the reference that this recording lacks
          extra       hits of this recording that the reference lacks

        Times are in microseconds and cover all matched hits: |p50| is the median of the magnitudes, |p99| the 99th percentile.

        EXAMPLES
          tutti measure audio master.wav ada.wav
          tutti measure audio --clock-ahead 0 98765 -- master.wav ada.wav
        """)

    @Argument(help: "Recordings; the first one is the reference.")
    var recordings: [String]

    @OptionGroup var clocks: Clocks

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func validate() throws {
      guard recordings.count >= 2 else {
        throw ValidationError("recordings: fewer than two; give two or more, the reference first")
      }
      _ = try clocks.offsets()
    }

    func run() throws {
      try reportingErrors {
        let report = try AudioReport(
          recordings: try recordings.map { try Recording(file: $0) }, clockOffsets: try clocks.offsets())
        if json { try printJSON(report) } else { print(report, terminator: "") }
      }
    }
  }
}

extension Recording {
  /// Reads the sound file at `path`. The instant of its first frame is its time reference, or 0 if it has none.
  init(file path: String) throws {
    let file = try SoundFile(path: path)
    let (seconds, frames) = (file.firstFrame ?? 0).quotientAndRemainder(dividingBy: Int64(file.rate))
    self.init(
      name: URL(fileURLWithPath: path).lastPathComponent, samples: file.samples, rate: file.rate,
      firstInstant: Instant(nanoseconds: 0) + .seconds(seconds) + Nanoseconds(frames * 1_000_000_000 / Int64(file.rate))
    )
  }
}

import ArgumentParser
import Measurement
import MusicalTime

/// The subcommand `tutti measure`.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure a clock, a device that follows it, a network, players, or the timing of peers.",
    discussion: """
      EXAMPLES
        tutti measure clock master.trace
        tutti measure follower alsa:24:0 --listen hw:1,0
        tutti measure sync master.trace ada.trace
        tutti measure audio master.wav ada.wav --json
        tutti measure network 192.168.1.20:5004
        tutti measure players ada.trace ben.trace
        tutti measure path master.trace ada.trace
        tutti measure activity ada.trace ben.trace
      """,
    subcommands: [
      ClockCommand.self, FollowerCommand.self, SyncCommand.self, AudioCommand.self, NetworkCommand.self,
      PlayersCommand.self, PathCommand.self, ActivityCommand.self, SchemaCommand.self,
    ])

  /// The option with the known clock offsets of the files. The offsets are needed only if the clocks of the files differ, for example
  /// because each peer ran in a separate time namespace.
  struct Clocks: ParsableArguments {
    @Option(
      name: .customLong("clock-ahead"), parsing: .upToNextOption,
      help: ArgumentHelp(
        "Set how far the clock of each file is ahead of a common clock, in seconds. S is subtracted from all times in "
          + "the file. Give one value for each file, in the same order. If the file names follow the values, "
          + "put -- between them. Needed only if the clocks of the files differ, for example because the peers ran in "
          + "different Linux time namespaces. (default: 0 for each file)",
        valueName: "S"))
    var clockOffsets: [Double] = []

    /// Returns the offsets in nanoseconds.
    ///
    /// - Throws: `ValidationError` for an offset out of range.
    func offsets() throws -> [Nanoseconds] {
      try clockOffsets.map { seconds in
        guard abs(seconds) < 2e9 else {
          throw ValidationError(
            "--clock-ahead \(seconds): out of range; give a value between -2000000000 and "
              + "2000000000 seconds (63 years)")
        }
        return Nanoseconds(Int64((seconds * 1e9).rounded()))
      }
    }
  }
}

/// The subcommand `tutti measure schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON schema of the output of a measurement.",
    discussion: """
      The schema describes the output of `tutti measure COMMAND --json`, or of `tutti calibrate --json`. Its format is \
      JSON Schema 2020-12. Each property has a description with its unit. Each output contains the version of its schema in the member provenance.schema. The version increases when a member \
      is removed or changes its meaning.

      EXAMPLES
        tutti measure schema clock > clock.schema.json
        tutti measure clock ada.trace --json > ada.json
        python3 -m jsonschema -i ada.json clock.schema.json
      """)

  @Argument(help: ArgumentHelp("Print the schema of the output of this command.", valueName: "COMMAND"))
  var command: ReportSchema

  func run() throws { print(command.document, terminator: "") }
}

extension ReportSchema: ExpressibleByArgument {}

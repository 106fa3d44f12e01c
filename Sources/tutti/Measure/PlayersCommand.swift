import ArgumentParser
import Cryptography
import Measurement
import MusicalTime

/// The subcommand `tutti measure players`.
struct PlayersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "players",
    abstract: "Measure how people play together: asynchrony, intervals, correction.",
    discussion: """
      An action is a note that the player began. A trace of `tutti peer --trace FILE` contains the instant of each \
      action of the player, even if an instrument plays the note later, on the grid. Give the traces of all players of \
      one session. The peers may have run on different machines, because each action is compared with the rhythm of \
      its own peer. If the clocks of the peers differ, --clock-ahead is needed in two cases: with --plot, and if the \
      traces contain different numbers of starts of the rhythm. --csv prints one row for each action, except those \
      counted as outside or double.

      TABLES
        Asynchrony         action minus the nearest line of the grid; positive: late.
                           For two players: asynchrony of the first minus that of
                           the second.
                           lag 1: correlation of consecutive asynchronies.
                           outside: actions while no rhythm played; double: actions
                           that are not measured, because another action is nearer
                           to the same line
        Intervals          between consecutive actions of one player
        Cross-correlation  of the intervals of two players, at lags of -4 to 4
                           lines. Only lines on which both players play are
                           counted. A correlation at a positive lag means that the
                           second player follows the first
        Correction gain    share of the asynchrony to the grid, or to another
                           player, that the next action of the player corrects
                           (Wing et al. 2014)

      Times are in microseconds. The definitions are in Sources/Measurement/Measurement.docc/PlayersFigures.md.

      EXAMPLES
        tutti measure players ada.trace ben.trace
        tutti measure players ada.trace ben.trace --grid 12 --plot players.svg
        tutti measure players ada.trace ben.trace --csv > actions.csv
      """)

  @Argument(help: "Traces of the players.", completion: .file())
  var traces: [String]

  @Option(
    help: ArgumentHelp(
      "Set the distance of the lines of the grid in ticks of 1/24 quarter note: 6 is a sixteenth note.",
      valueName: "TICKS"))
  var grid = 6

  @OptionGroup var clocks: MeasureCommand.Clocks

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    try check("--grid", grid, in: 1...1000, "1 to 1000 ticks")
    let offsets = try clocks.offsets()
    guard offsets.isEmpty || offsets.count == traces.count else {
      let values = "\(offsets.count) value\(offsets.count == 1 ? "" : "s")"
      let names = "\(traces.count) trace\(traces.count == 1 ? "" : "s")"
      throw ValidationError("--clock-ahead: \(values) for \(names); give one value for each trace")
    }
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    var (players, inputs): ([PlayerTrace], [Provenance.Input]) = ([], [])
    // The clock offset of the trace of each player.
    let given = try clocks.offsets()
    var offsets: [Nanoseconds] = []
    for (index, path) in traces.enumerated() {
      var digest = SHA256()
      let found = try PlayerTrace.players(inTraceAt: path) { digest.update(Array($0)) }
      inputs.append(Provenance.Input(file: path, sha256: digest.hexadecimal, recording: found[0].header))
      if !given.isEmpty { offsets += found.map { _ in given[index] } }
      players += found
    }
    var analysis = try PlayersAnalysis(consume players, ticksPerLine: grid, clockOffsets: offsets)
    let provenance = Provenance(inputs: inputs)
    analysis.report.provenance = provenance
    try output.print(analysis.report, provenance) { rows in analysis.writeRows { rows.print($0) } }
    try gnuplot?.draw(script: analysis.plot)
  }
}

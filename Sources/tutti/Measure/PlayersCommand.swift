import ArgumentParser
import Audio
import Cryptography
import Engine
import Foundation
import MIDI
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
      its own peer. If the clocks of the peers differ, --clock-ahead is needed in three cases: with --plot, with \
      --pairwise, and if the traces contain different numbers of starts of the rhythm. --csv prints one row for each \
      action, except those counted as outside or double.

      OTHER FILES
        MIDI file    each channel of each track with notes is a player
        CSV          the first line contains the titles player and time_s, time_ms,
                     time_us or time_ns
        recording    WAV or FLAC, one for each player, which begin together or have
                     Broadcast Wave time references of one clock. An action is the
                     beginning of a sound
      These files contain no rhythm. With such a file, or with --pairwise, the players are compared with each other \
      only. Actions of two players belong together if they are nearest to each other and at most --window apart.

      TABLES
        Asynchrony         action minus the nearest line of the grid; positive: late.
                           For two players: asynchrony of the first minus that of
                           the second.
                           lag 1: correlation of consecutive asynchronies.
                           outside: actions while no rhythm played; double: actions
                           that are not measured, because another action is nearer
                           to the same line
        Phase              circular statistics of the asynchronies: mean direction,
                           resultant length, Rayleigh test
        Intervals          between consecutive actions of one player
        Noise              of the timekeeper and of the movement (motor)
        Cross-correlation  of the intervals of two players, at lags of -4 to 4
                           lines. Only lines on which both players play are
                           counted. A correlation at a positive lag means that the
                           second player follows the first
        Group asynchrony   root mean square over all pairs of players
        Correction gain    share of the asynchrony to the grid, or to another
                           player, that the next action of the player corrects
                           (Wing et al. 2014), by bounded generalized least
                           squares (Jacoby et al. 2015)

      Times are in microseconds. Intervals of figures are 95 % confidence intervals. \
      \(FiguresArticle.players.reference)

      EXAMPLES
        tutti measure players ada.trace ben.trace
        tutti measure players ada.trace ben.trace --grid 12 --plot players.svg
        tutti measure players ada.trace ben.trace --csv > actions.csv
        tutti measure players duet.mid
        tutti measure players violin.wav cello.wav --window 80
      """)

  @Argument(help: "Traces, MIDI files, CSV files or recordings of the players.", completion: .file())
  var traces: [String]

  @Option(
    help: ArgumentHelp(
      "Set the distance of the lines of the grid in ticks of 1/24 quarter note: 6 is a sixteenth note.",
      valueName: "TICKS"))
  var grid = 6

  @Flag(help: "Compare the players with each other, and not with the rhythm.")
  var pairwise = false

  @Option(
    help: ArgumentHelp(
      "Without a rhythm, set the greatest distance of two actions that belong together, in milliseconds.",
      valueName: "MS"))
  var window = 100.0

  @OptionGroup var clocks: MeasureCommand.Clocks

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    try check("--grid", grid, in: 1...1000, "1 to 1000 ticks")
    try check("--window", window, in: 1...10_000, "1 to 10000 ms")
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
      let (found, input) = try Self.players(inFile: path)
      inputs.append(input)
      if !given.isEmpty { offsets += found.map { _ in given[index] } }
      players += found
    }
    let hasRhythm = !pairwise && players.allSatisfy(\.hasRhythm)
    var analysis = try PlayersAnalysis(
      consume players,
      grid: hasRhythm
        ? .rhythm(ticksPerLine: grid) : .onsets(window: Nanoseconds(Int64((window * 1e6).rounded()))),
      clockOffsets: offsets)
    let provenance = Provenance(inputs: inputs)
    analysis.report.provenance = provenance
    try output.print(analysis.report, provenance) { rows in analysis.writeRows { rows.print($0) } }
    try gnuplot?.draw(script: analysis.plot)
  }
  /// Reads the players in a file. Its first octets decide its type.
  private static func players(inFile path: String) throws -> ([PlayerTrace], Provenance.Input) {
    switch ClockInput.head(of: path) {
    case let head where ClockInput.soundFileHeads.contains(head):
      let file = try SoundFile(path: path)
      if file.isTruncated {
        warn("\(path): the file ends earlier than its header states; only the part that exists is measured")
      }
      return (
        [try PlayerTrace(Recording.all(of: file, path: path)[0])],
        Provenance.Input(file: path, sha256: try SHA256.digest(ofFile: path))
      )
    case Data("MThd".utf8):
      let bytes = try [UInt8](Data(contentsOf: path, limit: StandardMIDIFile.maximumBytes + 1))
      let name = URL(fileURLWithPath: path).lastPathComponent
      return (
        try PlayerTrace.players(inMIDIFile: bytes, name: name),
        Provenance.Input(file: path, sha256: try SHA256.digest(ofFile: path))
      )
    case let head where head.first == UInt8(ascii: "{") || head.isEmpty:
      var digest = SHA256()
      let found = try PlayerTrace.players(inTraceAt: path) { digest.update(Array($0)) }
      return (found, Provenance.Input(file: path, sha256: digest.hexadecimal, recording: found[0].header))
    default:
      var digest = SHA256()
      let found = try PlayerTrace.players(inTableAt: path) { digest.update(Array($0)) }
      return (found, Provenance.Input(file: path, sha256: digest.hexadecimal))
    }
  }
}

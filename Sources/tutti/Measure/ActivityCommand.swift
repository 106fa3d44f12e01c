import ArgumentParser
import Cryptography
import Measurement
import MusicalTime

/// The subcommand `tutti measure activity`.
struct ActivityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity",
    abstract: "Measure who shapes the activity: shares, who leads, response to the layers.",
    discussion: """
      A trace of `tutti peer --trace FILE` contains the activity of all players of the ensemble, the total activity, the \
      layers of the rhythm, and the movements of the phones at this peer. One trace is enough. The trace of a player's \
      own peer is more exact, because another peer learns of an activity up to 0.1 s later. If the clocks of the peers \
      differ, give --clock-ahead. --csv prints the activities ten times a second.

      FIGURES
        share        mean activity of the player divided by the mean of the sum of
                     all activities
        motions      reports of movement by the page of the player, and their mean
                     strength
        correlation  of the activities of two players, or of a player and the total,
                     at the same time
        lag          time by which the second activity follows the first, from the
                     greatest correlation within 5 s; only if it is significant
        response     change of an activity after a change of the layers, in its
                     direction: mean of 0.5 to 2.5 s after the change minus mean of
                     the second before it

      Activities are 0...127. Intervals are 95 % confidence intervals. \(FiguresArticle.activity.reference)

      EXAMPLES
        tutti measure activity ada.trace
        tutti measure activity ada.trace ben.trace --plot activity.svg
        tutti measure activity ada.trace --csv > activity.csv
      """)

  @Argument(help: "Traces of peers of one session.", completion: .file())
  var traces: [String]

  @OptionGroup var clocks: MeasureCommand.Clocks

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    let offsets = try clocks.offsets()
    guard offsets.isEmpty || offsets.count == traces.count else {
      throw ValidationError(
        "--clock-ahead: \(offsets.count) value\(offsets.count == 1 ? "" : "s") for \(traces.count) "
          + "trace\(traces.count == 1 ? "" : "s"); give one value for each trace")
    }
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    var (found, inputs): ([ActivityTrace], [Provenance.Input]) = ([], [])
    for path in traces {
      var digest = SHA256()
      let trace = try ActivityTrace(contentsOf: path) { digest.update(Array($0)) }
      inputs.append(Provenance.Input(file: path, sha256: digest.hexadecimal, recording: trace.header))
      found.append(trace)
    }
    var analysis = try ActivityAnalysis(found, clockOffsets: clocks.offsets())
    let provenance = Provenance(inputs: inputs)
    analysis.report.provenance = provenance
    try output.print(analysis.report, provenance) { rows in analysis.writeRows { rows.print($0) } }
    try gnuplot?.draw(script: analysis.plot)
  }
}

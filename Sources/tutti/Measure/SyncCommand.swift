import ArgumentParser
import Cryptography
import Measurement

/// The subcommand `tutti measure sync`.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Compare traces: when the same tick was due on each peer, and how late the peer processed it.",
    discussion: """
      `tutti peer --trace FILE` writes a trace. The traces are compared with the first one, normally that of the \
      master, or with the median of all. All peers must have run on one machine, because the clocks of two machines \
      run at different speeds. If the peers ran in different Linux time namespaces, give --clock-ahead. A run is one \
      playback of the rhythm, from a start to a stop. --csv prints one row for each tick that a peer and the reference \
      have in common.

      TABLES
        Offset            due instant of a tick on the peer minus its due instant on
                          the reference; positive: the peer is late;
                          missing: ticks of the reference that the peer lacks;
                          skipped: missing ticks between two common ticks of a run;
                          extra: ticks of the peer that the reference lacks
        Offset over time  the same for up to ten intervals of time
        Median of runs    each percentile of the magnitude of the offset is taken for
                          each run; the table shows the median of these values.
                          Runs with fewer than 24 common ticks are left out. The
                          95 % interval needs at least 5 runs
        Lateness          instant at which the clock thread of a master or follower
                          processed a tick (`written` in `tutti measure path`),
                          minus its due instant. The delays of the network and of
                          the sound card are not included
        Counts            totals from the start to the end of each peer, such as
                          lost ticks

      Times are in microseconds: p50 is the median, p99 the 99th percentile; |p50| is the median of the magnitudes. \
      \(FiguresArticle.sync.reference)

      EXAMPLES
        tutti measure sync master.trace ada.trace ben.trace
        tutti measure sync *.trace --reference median --plot sync.svg
        tutti measure sync master.trace ada.trace --csv > ticks.csv
        tutti measure sync --clock-ahead 0 98765 -- master.trace ada.trace
      """)

  @Argument(help: "Two or more traces. By default, the first one is the reference.", completion: .file())
  var traces: [String]

  @OptionGroup var clocks: MeasureCommand.Clocks

  @Option(
    help: ArgumentHelp(
      "Set the reference: the due instants of the first trace, or the median of the due instants of all traces.",
      valueName: "first|median"))
  var reference = SyncReport.Reference.first

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    guard traces.count >= 2 else {
      throw ValidationError("traces: fewer than two; give two or more, the reference first")
    }
    _ = try clocks.offsets()
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    var inputs = traces.map { Provenance.Input(file: $0, sha256: nil) }
    var rows = RowPrinter()
    if output.csv { rows.print(SyncRow.titles) }
    var analysis = try SyncAnalysis(
      names: traces, clockOffsets: clocks.offsets(), reference: reference,
      onRow: output.csv ? { rows.print($0.text) } : nil
    ) { index in
      var digest = SHA256()
      let trace = try SyncTrace(contentsOf: traces[index]) { digest.update(Array($0)) }
      // The input has no header, because the list of peers in the report contains the headers.
      inputs[index].sha256 = digest.hexadecimal
      return trace
    }
    rows.flush()
    let provenance = Provenance(inputs: inputs)
    analysis.report.provenance = provenance
    // The rows were printed during the analysis.
    try output.print(analysis.report, provenance) { _ in }
    try gnuplot?.draw(script: analysis.plot)
  }
}

extension SyncReport.Reference: ExpressibleByArgument {}

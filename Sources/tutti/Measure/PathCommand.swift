import ArgumentParser
import Cryptography
import Measurement

/// The subcommand `tutti measure path`.
struct PathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Measure where delay and jitter arise: threads, network and sound, stage by stage.",
    discussion: """
      TRACE is a file of `tutti peer --trace FILE`. Each trace is measured by itself. To measure the network, the \
      trace of a follower is enough: each packet of the master contains its send instant, which the follower records.

      INSTANTS
        due          the tick is due
        woken        the clock thread is awake and finds the tick due
        written      the clock thread processes the tick, and writes it to its ALSA
                     port, if it has one
        sent         the clock thread of the master passes the first packet with
                     the tick to the kernel
        received     the kernel of the follower receives this packet
        scheduled    the clock thread passes the hits of a step (sixteenth note) to
                     the audio thread
        first frame  the first frame of the first of these hits sounds; includes the
                     output delay that the sound card reports, and the delay of
                     `tutti peer --latency`

      A path is a sequence of instants. A stage is the time from one of these instants to the next one. The total is \
      the sum of the stages.

      PATHS
        clock port                     due -> woken -> written
        packets at the due time        due -> woken -> sent
        packets ahead of the due time  due -> sent
        network                        due -> sent -> received
        sound                          due -> scheduled -> first frame
        sound of a follower            due -> sent -> received -> scheduled
                                       -> first frame

      A master sends packets at the due time to devices that play on arrival, normally RTP-MIDI devices without Tutti. \
      To Tutti peers and other receivers that honour time stamps, it sends packets ahead of the due time. For these \
      packets, `due -> sent` is negative, in the trace of the master and of the follower. By default, the time ahead \
      is 90 ms: 10 ms less than --lead-time of `tutti peer`. If the sound card, --latency or early hits of the rhythm \
      need more time when the peer starts, the time ahead is longer. The wait `received -> scheduled` absorbs the \
      jitter of the network. In the trace of a follower, `sent` is converted with the clock offset that the follower \
      has estimated. If the trace lacks the instants of a path, the program prints the reason.

      FIGURES
        share  covariance of the stage and the total, divided by the variance of
               the total. The shares of a path sum to 100 %. A negative share: the
               stage reduces the jitter
        +-     standard error of the share

      Times are in microseconds. \(FiguresArticle.path.reference)

      EXAMPLES
        tutti measure path master.trace
        tutti measure path master.trace ada.trace --json
        tutti measure path ada.trace --csv > stages.csv
      """)

  @Argument(help: "One or more traces.", completion: .file())
  var traces: [String]

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Print one line for each stage of each tick.")
  var csv = false

  func validate() throws {
    guard !json || !csv else { throw ValidationError("--json and --csv: contradict each other; give one of them") }
  }

  func run() throws {
    var (peers, inputs): ([PathReport.Peer], [Provenance.Input]) = ([], [])
    var rows = RowPrinter()
    if csv { rows.print(PathAnalysis.rowTitles) }
    for trace in traces {
      var digest = SHA256()
      let analysis = try PathAnalysis(
        contentsOf: trace, onOctets: { digest.update(Array($0)) }, onRow: csv ? { rows.print($0) } : nil)
      peers.append(analysis.report)
      // The input has no header, because the list of peers in the report contains the headers.
      inputs.append(Provenance.Input(file: trace, sha256: digest.hexadecimal))
    }
    rows.flush()
    let report = PathReport(provenance: Provenance(inputs: inputs), peers: peers)
    if csv {
      MeasureOutput.printComments(report.provenance)
    } else if json {
      try printJSON(report)
    } else {
      print(report, terminator: "")
    }
  }
}

import ArgumentParser
import Measurement
import MusicalTime
import Realtime

/// The subcommand `tutti measure network`.
struct NetworkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "network",
    abstract: "Measure the network to an RTP-MIDI peer: round trip, jitter, loss, clock.",
    discussion: """
      The program connects to the control port of the peer (HOST:PORT), and then asks for the time of its clock again \
      and again. The answers show the delay of the network and the difference of the clocks. A Tutti peer is measured \
      by its clock probes, with stamps in nanoseconds. Any other RTP-MIDI peer is measured by the clock messages (CK) \
      of RTP-MIDI, whose stamps are in units of 100 us. The program sends no music. Ctrl-C ends the measurement and \
      prints the figures. --csv prints one row for each answered request.

      FIGURES
        round trip       from the request to the answer, without the time that a
                         Tutti peer needed for the answer
        variation        one-way delay minus the smallest one, for each direction
        lost             requests without an answer, except those of the last second
        offset           clock of the peer minus the clock of this machine; its
                         standard deviation is an upper limit that contains the
                         noise of both clocks
        skew             rate of the clock of the peer, relative to this machine
        asymmetry bound  error of the offset if one direction has all of the delay

      Times are in microseconds. \(FiguresArticle.network.reference)

      EXAMPLES
        tutti measure network 192.168.1.20:5004
        tutti measure network studio.local --seconds 600 --json
        tutti measure network 192.168.1.20 --csv > exchanges.csv
      """)

  @Argument(help: ArgumentHelp("Address and control port of the peer. (default port: 5004)", valueName: "HOST[:PORT]"))
  var address: String

  @Option(help: ArgumentHelp("Measure for S seconds. 0: until Ctrl-C.", valueName: "S"))
  var seconds = 30.0

  @Option(
    help: ArgumentHelp(
      "Send a request every MS milliseconds. (default: 20 to a Tutti peer, 100 to others)", valueName: "MS"))
  var interval: Double?

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    try check("--seconds", seconds, in: 0...1e6, "0 to 1000000")
    if let interval { try check("--interval", interval, in: 1...10_000, "1 to 10000 milliseconds") }
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    let session = try InvitedSession(to: address)
    let terminal = Terminal()
    var shown = Instant(nanoseconds: .min)
    let clocks = SystemClockObserver()
    let task = NetworkTask(
      address, ports: session.ports, interval: interval.map { Nanoseconds(Int64($0 * 1e6)) }
    ) { task, now in
      clocks.sampleIfDue(at: now)
      guard shown == Instant(nanoseconds: .min) || now - shown > .milliseconds(250) else { return }
      shown = now
      terminal.showStatus(Self.status(task, at: now))
    }
    try session.measure(task, seconds: seconds, terminal)
    let provenance = Provenance(
      inputs: [Provenance.Input(file: address, sha256: nil)], systemClock: clocks.finish())
    let report: NetworkReport
    do throws(ReportError) {
      report = try task.measurement.report(
        peer: task.peer, pending: task.pendingCount(at: MonotonicClock.now), provenance: provenance)
    } catch {
      // The peer has accepted the session, but has answered no request. The exit status is that of a peer that does not answer.
      throw CommandError("\(error)")
    }
    try output.print(report, provenance) { rows in
      rows.print("sent_ns,received_ns,remote_received_ns,remote_sent_ns")
      for exchange in task.measurement.exchanges {
        let stamps = [exchange.sent, exchange.received, exchange.remoteReceived, exchange.remoteSent]
        rows.print(stamps.map { "\($0.nanoseconds)" }.joined(separator: ","))
      }
    }
    try gnuplot?.draw { task.measurement.plot(report, $0) }
  }

  /// The current figures in one line. Here, the round trips include the time that the peer needed for its answer.
  private static func status(_ task: NetworkTask, at now: Instant) -> String {
    let measurement = task.measurement
    guard let last = measurement.exchanges.last else { return "\(task.peer): no answer yet" }
    let pending = task.pendingCount(at: now)
    // The smallest of the last 500 round trips, which take 10 s at the default interval of a Tutti peer.
    let smallest = measurement.exchanges.suffix(500).map { ($0.received - $0.sent).count }.min() ?? 0
    var text = "\(task.peer): \(measurement.exchanges.count) answer\(measurement.exchanges.count == 1 ? "" : "s")"
    text += ", \(measurement.lost(pending: pending)) lost"
    text += ", round trip \((last.received - last.sent).microseconds) us, smallest \(Double(smallest) / 1e3) us"
    if let estimate = measurement.estimate {
      text += ", offset \(estimate.offset.seconds) s"
      if let deviation = measurement.deviation { text += " +- \(deviation.microseconds) us" }
    }
    return text
  }
}

import ClockSync
import MusicalTime

/// The measurement of the network to one peer, for `tutti measure network`: it collects exchanges and calculates the figures.
///
/// Real-time: not safe.
public struct NetworkMeasurement: Sendable {
  /// The protocol of the requests.
  public let `protocol`: NetworkProtocol
  /// The plausible exchanges so far, in the order in which the answers arrived.
  public private(set) var exchanges: [NetworkExchange] = []
  /// The number of requests that were sent.
  public private(set) var sent = 0
  /// The number of answers that were dropped because their stamps are implausible.
  public private(set) var implausible = 0
  /// The number of answers that were ignored because they are unsolicited or duplicate.
  public private(set) var unsolicited = 0
  /// The estimate of the remote clock.
  private var clock = RemoteClock()
  /// The deviations of the exchanges from the estimates before them.
  private var scatter = OffsetScatter()

  /// Creates a measurement without exchanges.
  ///
  /// Real-time: not safe.
  public init(_ protocol: NetworkProtocol) { self.protocol = `protocol` }

  /// Counts a request.
  ///
  /// Real-time: not safe.
  public mutating func requestSent() { sent += 1 }

  /// Counts an unsolicited or duplicate answer.
  ///
  /// Real-time: not safe.
  public mutating func answerIgnored() { unsolicited += 1 }

  /// Adds an exchange, or counts it as implausible.
  ///
  /// Real-time: not safe.
  public mutating func add(_ exchange: NetworkExchange) {
    guard exchange.isPlausible(resolution: `protocol`.resolution) else {
      implausible += 1
      return
    }
    exchanges.append(exchange)
    let (middle, resets) = (exchange.sent + Nanoseconds((exchange.received - exchange.sent).count / 2), clock.resets)
    if let estimate = clock.estimate(at: middle) { scatter.add(exchange, offset: estimate.offset) }
    let resolution = `protocol`.resolution
    for transit in [
      ClockTransit(.out, sent: exchange.sent, received: exchange.remoteReceived, resolution: resolution),
      ClockTransit(.back, sent: exchange.remoteSent, received: exchange.received, resolution: resolution),
    ] {
      clock.add(transit, at: exchange.received)
    }
    if clock.resets > resets { scatter.removeAll() }
  }

  /// The estimate of the remote clock at the newest answer; nil with too few answers.
  public var estimate: ClockEstimate? { exchanges.last.flatMap { clock.estimate(at: $0.received) } }

  /// The standard deviation of the offset of ``estimate``, with the noise of the clocks and of their stamps (``OffsetScatter``). It assumes
  /// that both directions have the same delay. Nil with too few answers.
  public var deviation: Nanoseconds? {
    guard let estimate, let variance = scatter.variance else { return nil }
    let own = Double(estimate.deviation.count)
    return Nanoseconds(Int64(min((own * own + variance).squareRoot(), 4e18).rounded(.up)))
  }

  /// Returns the number of requests that remained without an answer.
  ///
  /// - Parameter pending: the number of unanswered requests that are less than a second old. They are not lost yet.
  ///
  /// Real-time: not safe.
  public func lost(pending: Int) -> Int { max(0, sent - pending - exchanges.count - implausible) }

  /// Calculates the figures.
  ///
  /// - Parameters:
  ///   - peer: the name or the address of the peer.
  ///   - pending: the number of unanswered requests that are less than a second old.
  ///   - provenance: the origin of the figures, for the report.
  /// - Throws: ``ReportError`` if there is no plausible answer.
  ///
  /// Real-time: not safe.
  public func report(peer: String, pending: Int, provenance: Provenance) throws(ReportError) -> NetworkReport {
    guard let first = exchanges.first, let last = exchanges.last else {
      let requests = "\(sent) request\(sent == 1 ? "" : "s")"
      guard implausible == 0 else {
        throw ReportError(
          subject: peer, reason: "\(requests), but no answer has a plausible stamp",
          remedy: "check the system clock and the RTP-MIDI program of the peer")
      }
      throw ReportError(
        subject: peer, reason: "no answer to \(requests)",
        remedy: "check that the peer is running and that no firewall drops UDP at its two ports")
    }
    return NetworkReport(
      self, peer: peer, seconds: (last.received - first.sent).seconds,
      lost: lost(pending: pending), resets: clock.resets, provenance: provenance)
  }

  /// Returns a gnuplot script that draws the round trip over time, and its histogram. The script contains its data, reads no file, needs
  /// gnuplot 5, and writes a picture to `file`.
  ///
  /// - Parameter report: the figures of this measurement.
  ///
  /// Real-time: not safe.
  public func plot(_ report: NetworkReport, _ picture: PlotPicture) -> String {
    let start = exchanges[0].sent
    let points = exchanges.map { (x: ($0.sent - start).seconds, y: $0.roundTrip / 1e3) }
    let robust = RobustRange(points.map(\.y))
    let outside = robust?.outside("outside", points, unit: "µs")
    let histogram = Gnuplot.histogram(
      exchanges.map(\.roundTrip),
      in: robust?.range.scaled(by: 1e3) ?? report.roundTrip.minimum...report.roundTrip.maximum)
    let color = Gnuplot.color(0)
    return Gnuplot.script(
      picture, title: "\(report.peer); tutti \(report.provenance.version)",
      data: Gnuplot.data("time", points.map { "\($0.x) \($0.y)" }) + Gnuplot.data("histogram", histogram)
        + (outside?.data ?? ""),
      [
        Gnuplot.Panel(
          x: "time / s", y: "round trip / µs", settings: robust.map { [$0.setting] } ?? [],
          curves: ["$time using 1:2 with points \(Gnuplot.symbol(0)) notitle"] + [outside?.curve].compactMap(\.self)),
        Gnuplot.Panel(
          x: RobustRange.label("round trip / µs", robust), y: "requests",
          settings: Gnuplot.countAxis + ["set style fill solid"],
          curves: ["$histogram using 1:2 with boxes \(color) notitle"]),
      ])
  }
}

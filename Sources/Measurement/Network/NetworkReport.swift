import MusicalTime

/// The figures of the network between two peers, as `tutti measure network` prints them. The article <doc:NetworkFigures> defines each
/// figure.
///
/// Real-time: not safe.
public struct NetworkReport: Hashable, Sendable {
  /// The figures of one direction: out (to the peer) or back (from the peer).
  public struct Direction: Hashable, Sendable {
    /// The smallest one-way delay in nanoseconds. It depends on the estimated offset of the clocks: an error of the offset makes one
    /// direction shorter and the other one longer.
    public let minimum: Double
    /// The delay variation in nanoseconds: the one-way delay minus the smallest one (PDV of RFC 5481, section 4.2).
    public let variation: Distribution
    /// The interarrival jitter of RFC 3550, section 6.4.1, after the last exchange, in nanoseconds.
    public let jitter: Double

    /// Calculates the figures from one-way delays in nanoseconds, in the order of the exchanges; nil without delays.
    init?(_ delays: [Double]) {
      guard let minimum = delays.min(), let variation = Distribution(delays.map({ $0 - minimum })) else { return nil }
      (self.minimum, self.variation) = (minimum, variation)
      jitter = zip(delays, delays.dropFirst()).reduce(0.0) { $0 + (abs($1.1 - $1.0) - $0) / 16 }
    }
  }

  /// The estimate of the remote clock at the last answer.
  public struct Clock: Hashable, Sendable {
    /// The remote clock minus the local clock.
    public let offset: Nanoseconds
    /// The largest possible error of the offset, for any division of the round trip between the two directions.
    public let uncertainty: Nanoseconds
    /// The standard deviation of the offset (``NetworkMeasurement/deviation``). It assumes that both directions have the same delay. Nil
    /// with too few answers.
    public let deviation: Nanoseconds?
    /// The rate of the remote clock relative to the local clock, minus 1, in parts per million.
    public let skew: Double
    /// The range of possible skews in parts per million, if both clocks have a constant rate (``ClockLine``). Nil if a rate was not
    /// constant, or if the exchanges do not bound the skew.
    public let skewBounds: ClosedRange<Double>?
  }

  /// The origin of the figures: the program and the command line.
  public let provenance: Provenance
  /// The name or the address of the peer.
  public let peer: String
  /// The protocol of the requests.
  public let `protocol`: NetworkProtocol
  /// The time from the first request to the last answer in seconds.
  public let seconds: Double
  /// The numbers of requests, of plausible answers, and of requests without any answer. Unanswered requests of the last second do not
  /// count as lost.
  public let sent, answered, lost: Int
  /// The number of answers with implausible stamps, and the number of unsolicited or duplicate answers.
  public let implausible, unsolicited: Int
  /// The round trip in nanoseconds, without the time that a Tutti peer needed for its answer.
  public let roundTrip: Distribution
  /// The largest error of the offset that different delays of the two directions can cause: half of the smallest round trip, in
  /// nanoseconds.
  public let asymmetryBound: Double
  /// The estimate of the remote clock; nil with too few answers.
  public let clock: Clock?
  /// The figures of the delays to the peer and from the peer. Nil without ``clock``, or if no part of the exchanges has one-way delays
  /// (``OneWayDelays``).
  public let out, back: Direction?
  /// Notes for the user, each in one line.
  public let notes: [String]

  /// Calculates the figures of `measurement`.
  ///
  /// - Parameters:
  ///   - lost: the number of requests without any answer.
  ///   - resets: the number of times that the estimate of the remote clock was reset (``ClockSync/RemoteClock/resets``).
  init(
    _ measurement: NetworkMeasurement, peer: String, seconds: Double, lost: Int, resets: Int, provenance: Provenance
  ) {
    (self.peer, self.seconds, self.lost, self.provenance) = (peer, seconds, lost, provenance)
    (self.protocol, sent, answered) = (measurement.protocol, measurement.sent, measurement.exchanges.count)
    (implausible, unsolicited) = (measurement.implausible, measurement.unsolicited)
    let exchanges = measurement.exchanges
    // `NetworkMeasurement` creates a report only with at least one exchange.
    roundTrip = Distribution(exchanges.map(\.roundTrip))!
    asymmetryBound = max(roundTrip.minimum, 0) / 2
    var notes: [String] = []
    if resets > 0 {
      notes.append(
        "during the measurement, the clock of the peer was set, or its rate or the route through "
          + "the network changed (number of such events: \(resets)); measure again")
    }
    if let estimate = measurement.estimate {
      // A stamp is wrong by up to half of its resolution.
      let margin = Double(measurement.protocol.resolution.count) / 2
      let line = ClockLine(exchanges, margin: margin)
      let bounds = line?.skewBounds
      clock = Clock(
        offset: estimate.offset, uncertainty: estimate.uncertainty, deviation: measurement.deviation,
        skew: estimate.skew, skewBounds: bounds.map { $0.lowerBound * 1e6...$0.upperBound * 1e6 })
      if clock?.deviation == nil {
        notes.append("too few answers for the standard deviation of the offset; measure longer")
      }
      if line == nil {
        notes.append("the rate of a clock was not constant, so the skew has no bounds")
      } else if bounds == nil {
        notes.append("no bounds of the skew can be calculated from these answers; measure longer")
      }
      let delays = OneWayDelays(exchanges, margin: margin)
      (out, back) = (Direction(delays.out), Direction(delays.back))
      if delays.omitted > 0 {
        notes.append(
          "exchanges with unknown delays: \(delays.omitted), because a clock was set or changed its rate in the same minute"
        )
      }
    } else {
      (clock, out, back) = (nil, nil, nil)
      notes.append("too few answers for an estimate of the clock; measure longer")
    }
    if measurement.protocol == .clockPackets {
      notes.append(
        "the peer answers only the clock messages (CK) of RTP-MIDI: its stamps are in units of 100 us, and the round "
          + "trip contains its processing time"
      )
    }
    self.notes = notes
  }
}

extension NetworkReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "provenance": provenance, "peer": peer, "protocol": `protocol`, "seconds": seconds, "sent": sent,
      "answered": answered, "lost": lost, "implausible": implausible, "unsolicited": unsolicited,
      "round_trip": roundTrip, "asymmetry_bound_us": asymmetryBound / 1e3, "clock": clock, "out": out, "back": back,
      "notes": notes,
    ])
  }
}

extension NetworkReport.Direction: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["min_us": minimum / 1e3, "variation": variation, "jitter_us": jitter / 1e3])
  }
}

extension NetworkReport.Clock: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "offset_ns": offset.count, "uncertainty_us": uncertainty.microseconds, "deviation_us": deviation?.microseconds,
      "skew_ppm": skew, "skew_low_ppm": skewBounds?.lowerBound, "skew_high_ppm": skewBounds?.upperBound,
    ])
  }
}

extension NetworkReport: CustomStringConvertible {
  /// The report as text, with the provenance at the end, as `tutti measure network` prints it.
  public var description: String {
    let share = sent > 0 ? 100 * Double(lost) / Double(sent) : nil as Double?
    var text = "Network to \(peer), \(seconds.fixed(1)) s, protocol \(`protocol`.rawValue)\n"
    text += "requests \(sent), answers \(answered), lost \(lost) (\(share.fixed(2)) %), "
    text += "implausible \(implausible), unsolicited \(unsolicited)\n\n"
    var times = TextTable(columns: [""] + Distribution.columns)
    times.append(["round trip"] + roundTrip.row)
    for (name, direction) in [("variation out", out), ("variation back", back)] {
      if let direction { times.append([name] + direction.variation.row) }
    }
    text += "Times, us; variation is the one-way delay minus the smallest one\n\(times)\n"
    if let clock, let out, let back {
      let directions = TextTable(
        columns: ["", "out", "back"],
        rows: [
          ["smallest one-way delay, by the estimated offset", out.minimum.microseconds, back.minimum.microseconds],
          ["jitter of RFC 3550", out.jitter.microseconds, back.jitter.microseconds],
        ])
      text += "Directions, us\n\(directions)\n"
      text += "Clock of the peer\noffset \(Double(clock.offset.count).fixed(9, scale: 1e-9)) s, "
      text += "standard deviation \(clock.deviation.map { "\(Double($0.count).microseconds) us" } ?? "unknown"), "
      text += "largest possible error \(Double(clock.uncertainty.count).microseconds) us\n"
      text += "skew \(clock.skew.fixed(3)) ppm"
      if let bounds = clock.skewBounds {
        text += ", between \(bounds.lowerBound.fixed(3)) and \(bounds.upperBound.fixed(3)) ppm"
      }
      text += "\n"
    }
    text += "Asymmetry bound \(asymmetryBound.microseconds) us: half of the smallest round trip\n"
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    return text + "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined()
  }
}

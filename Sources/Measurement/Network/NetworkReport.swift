import MusicalTime

/// The figures of the network between two peers. The article <doc:NetworkFigures> defines each figure.
public struct NetworkReport: Hashable, Sendable {
  /// The figures of one direction.
  public struct Direction: Hashable, Sendable {
    /// The smallest one-way delay in nanoseconds, if the estimated offset is right. An error of the offset makes one
    /// direction shorter and the other one longer.
    public let minimum: Double
    /// The one-way delay minus the smallest one: the delay variation of RFC 5481, section 4.2 (PDV).
    public let variation: Distribution
    /// The interarrival jitter of RFC 3550, section 6.4.1, at the end, in nanoseconds.
    public let jitter: Double

    /// Calculates the figures; nil without delays.
    init?(_ delays: [Double]) {
      guard let minimum = delays.min(), let variation = Distribution(delays.map({ $0 - minimum })) else { return nil }
      (self.minimum, self.variation) = (minimum, variation)
      jitter = zip(delays, delays.dropFirst()).reduce(0.0) { $0 + (abs($1.1 - $1.0) - $0) / 16 }
    }
  }

  /// The estimate of the remote clock at the end.
  public struct Clock: Hashable, Sendable {
    /// The remote clock minus the local clock.
    public let offset: Nanoseconds
    /// The largest possible error of the offset, whatever the delays of the two directions are.
    public let uncertainty: Nanoseconds
    /// The standard deviation of the offset, if both directions have the same delay.
    public let deviation: Nanoseconds
    /// The rate of the remote clock relative to the local clock minus 1, parts per million.
    public let skew: Double
    /// The range of the skew that the exchanges permit, in parts per million, if both clocks have a constant rate; nil if
    /// the exchanges do not permit a constant rate, or do not bound it.
    public let skewBounds: ClosedRange<Double>?
  }

  /// The program and the command line.
  public let provenance: Provenance
  /// The name or the address of the peer.
  public let peer: String
  /// The protocol of the requests.
  public let `protocol`: NetworkProtocol
  /// The time from the first request to the last answer in seconds.
  public let seconds: Double
  /// The numbers of requests, of answers, and of requests without an answer. Requests of the last second are not lost.
  public let sent, answered, lost: Int
  /// The numbers of answers with implausible stamps, and of answers that nobody asked for.
  public let implausible, unsolicited: Int
  /// The round trip, without the time that a Tutti peer needed for its answer.
  public let roundTrip: Distribution
  /// The largest difference between the offset and its estimate that different delays of the two directions can cause:
  /// half of the smallest round trip, in nanoseconds.
  public let asymmetryBound: Double
  /// The estimate of the remote clock; nil with too few answers.
  public let clock: Clock?
  /// The delays to the peer and from the peer; nil without ``clock``, and if a clock was set in each minute.
  public let out, back: Direction?
  /// Notes, each in one line.
  public let notes: [String]

  init(
    _ measurement: NetworkMeasurement, peer: String, seconds: Double, lost: Int, resets: Int, provenance: Provenance
  ) {
    (self.peer, self.seconds, self.lost, self.provenance) = (peer, seconds, lost, provenance)
    (self.protocol, sent, answered) = (measurement.protocol, measurement.sent, measurement.exchanges.count)
    (implausible, unsolicited) = (measurement.implausible, measurement.unsolicited)
    let exchanges = measurement.exchanges
    // There is at least one exchange.
    roundTrip = Distribution(exchanges.map(\.roundTrip))!
    asymmetryBound = max(roundTrip.minimum, 0) / 2
    var notes: [String] = []
    if resets > 0 {
      notes.append("the clock of the peer was set, or its rate or the route changed, \(resets) times; measure again")
    }
    if let estimate = measurement.estimate {
      let margin = Double(measurement.protocol.resolution.count) / 2
      let line = ClockLine(exchanges, margin: margin)
      let bounds = line?.skewBounds
      clock = Clock(
        offset: estimate.offset, uncertainty: estimate.uncertainty, deviation: estimate.deviation, skew: estimate.skew,
        skewBounds: bounds.map { $0.lowerBound * 1e6...$0.upperBound * 1e6 })
      if line == nil {
        notes.append("the rate of a clock was not constant, so the skew has no bounds")
      } else if bounds == nil {
        notes.append("the exchanges do not bound the skew; measure longer")
      }
      let delays = OneWayDelays(exchanges, margin: margin)
      (out, back) = (Direction(delays.out), Direction(delays.back))
      if delays.omitted > 0 {
        notes.append("the delays of \(delays.omitted) exchanges are unknown, because a clock was set in their minute")
      }
    } else {
      (clock, out, back) = (nil, nil, nil)
      notes.append("too few answers for an estimate of the clock; measure longer")
    }
    if measurement.protocol == .clockPackets {
      notes.append(
        "the peer answers CK only: its stamps count 100 us, and the round trip contains the time that it needed to answer"
      )
    }
    self.notes = notes
  }
}

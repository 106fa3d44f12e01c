public import MusicalTime
public import Simulation

/// A follower and its master on a virtual network. The type computes which clock measurements the follower obtains, and when.
///
/// The local clock is the clock of the follower, and it shows true time. The remote clock is the clock of the master. A packet
/// *out* goes from the follower to the master. A packet *back* goes from the master to the follower.
public struct VirtualRoute: Sendable {
  public typealias Random = SplitMix

  /// A clock measurement, and when the follower obtains it.
  public struct Measurement: Sendable {
    /// When the follower obtains the measurement, by the local clock.
    public let at: Instant
    public let transit: ClockTransit
  }

  public var network: NetworkModel
  /// The delays and losses of packets; nil for those of ``network``.
  public var delays: DelayModel?
  /// The remote clock minus the local clock at instant 0.
  public var offset = Nanoseconds.zero
  /// The skew of the remote clock at instant 0 in parts per million.
  public var skew = 0.0
  /// The increase of the skew per minute in parts per million.
  public var drift = 0.0
  /// The probes per second in each direction, in the first minute and later.
  public var probes = (first: 50.0, later: 10.0)
  /// The ticks per second from the master.
  public var ticks = 48.0

  public init(_ network: NetworkModel) { self.network = network }

  public init(_ delays: DelayModel) {
    self.init(NetworkModel(name: delays.shape.rawValue, delay: .zero, jitter: .zero))
    self.delays = delays
  }

  /// The remote clock minus the local clock at `instant`.
  public func difference(at instant: Instant) -> Nanoseconds {
    let seconds = Double(instant.nanoseconds) / 1e9
    // The integral of the skew over time is in microseconds, because 1 ppm is 1 us per second.
    return offset + Nanoseconds(Int64((skew * seconds + drift / 60 * seconds * seconds / 2) * 1000))
  }

  /// The clock measurements of `seconds` seconds in the order in which the follower obtains them.
  ///
  /// Both peers send requests. Each request is answered by a reply, and the reply by an acknowledgement. When a packet of a peer has
  /// arrived, a later packet of the other peer reports the instant of the arrival.
  public func measurements(seconds: Double, seed: UInt64) -> [Measurement] {
    var random = Random(seed: seed)
    var measurements: [Measurement] = []
    let outbound = delays.map { DelayModel.Direction($0, seconds: seconds, &random) }
    let returning = delays.map { DelayModel.Direction($0, seconds: seconds, &random) }
    /// The delay of a packet; nil if it is lost.
    func delayOut(at sent: Instant) -> Nanoseconds? {
      guard let outbound else { return network.delay(&random) }
      return outbound.delay(at: sent, &random)
    }
    func delayBack(at sent: Instant) -> Nanoseconds? {
      guard let returning else { return network.delay(&random) }
      return returning.delay(at: sent, &random)
    }
    /// Regular instants in seconds with a random phase. Each instant is then delayed by up to a tenth of the interval.
    func times(perSecond rate: Double, from begin: Double, to end: Double) -> [Double] {
      guard rate > 0, end > begin else { return [] }
      let phase = Double.random(in: 0..<1, using: &random)
      return (0..<Int((end - begin) * rate)).map { n in
        begin + (Double(n) + phase + Double.random(in: 0..<0.1, using: &random)) / rate
      }
    }
    func probeTimes() -> [Double] {
      times(perSecond: probes.first, from: 0, to: min(60, seconds))
        + times(perSecond: probes.later, from: 60, to: seconds)
    }
    /// Adds the transit of a packet to the master. The follower obtains the measurement at `known`.
    func addTransitOut(sent: Instant, known: Instant, delay: Nanoseconds) {
      let received = sent + delay
      measurements.append(
        Measurement(at: known, transit: ClockTransit(.out, sent: sent, received: received + difference(at: received))))
    }
    /// Adds the transit of a packet from the master. The follower obtains the measurement when the packet arrives.
    func addTransitBack(sent: Instant, delay: Nanoseconds) {
      let transit = ClockTransit(.back, sent: sent + difference(at: sent), received: sent + delay)
      measurements.append(Measurement(at: sent + delay, transit: transit))
    }
    // The time from the arrival of a packet until the receiver sends its reply or acknowledgement.
    let processing = Nanoseconds.microseconds(30)
    // The requests of the follower, the replies to them, and the acknowledgements of the follower.
    for time in probeTimes() {
      let sent = Instant(nanoseconds: Int64(time * 1e9))
      guard let out = delayOut(at: sent) else { continue }
      let replied = sent + out + processing
      guard let back = delayBack(at: replied) else { continue }
      addTransitOut(sent: sent, known: replied + back, delay: out)
      addTransitBack(sent: replied, delay: back)
      // The next request of the master reports the arrival of the acknowledgement. The master sends this request one probe interval
      // after the arrival. `third` is the delay of the acknowledgement, and `next` is the delay of the request.
      let acknowledged = replied + back + processing
      let pause = Nanoseconds(Int64(1e9 / (time < 60 ? probes.first : probes.later)))
      guard let third = delayOut(at: acknowledged) else { continue }
      let requested = acknowledged + third + pause
      guard let next = delayBack(at: requested) else { continue }
      addTransitOut(sent: acknowledged, known: requested + next, delay: third)
    }
    // The requests of the master, the replies to them, and the acknowledgements of the master.
    for time in probeTimes() {
      let sent = Instant(nanoseconds: Int64(time * 1e9))
      guard let request = delayBack(at: sent) else { continue }
      addTransitBack(sent: sent, delay: request)
      let replied = sent + request + processing
      guard let out = delayOut(at: replied) else { continue }
      let acknowledged = replied + out + processing
      guard let back = delayBack(at: acknowledged) else { continue }
      addTransitOut(sent: replied, known: acknowledged + back, delay: out)
      addTransitBack(sent: acknowledged, delay: back)
    }
    // The ticks begin after 0.6 s. The packet of a tick contains its send instant, so the follower obtains a measurement when it arrives.
    for time in times(perSecond: ticks, from: 0.6, to: seconds) {
      let sent = Instant(nanoseconds: Int64(time * 1e9))
      if let delay = delayBack(at: sent) { addTransitBack(sent: sent, delay: delay) }
    }
    return measurements.sorted { $0.at < $1.at }
  }
}

public import MusicalTime
public import Simulation

/// Two peers in session, of which one follows the other, on a virtual network: which packets tell the follower of the
/// master's clock, and when. Its own clock is true time.
public struct VirtualRoute: Sendable {
  public typealias Random = SplitMix

  /// Something that the follower learns, and when.
  public struct News: Sendable {
    public let at: Instant
    public let transit: ClockTransit
  }

  public var network: VirtualNetwork
  /// The remote clock at instant 0, minus the own.
  public var offset = Nanoseconds.zero
  /// Parts per million, at instant 0.
  public var skew = 0.0
  /// Parts per million by which the skew grows in a minute.
  public var drift = 0.0
  /// Probes a second, each way, in the first minute and later.
  public var probes = (first: 50.0, later: 10.0)
  /// Ticks a second, from the master.
  public var ticks = 48.0

  public init(_ network: VirtualNetwork) { self.network = network }

  /// The remote clock minus the own at `instant`.
  public func difference(at instant: Instant) -> Nanoseconds {
    let seconds = Double(instant.nanoseconds) / 1e9
    return offset + Nanoseconds(Int64((skew * seconds + drift / 60 * seconds * seconds / 2) * 1000))
  }

  /// What is learned in `seconds`, in the order in which it is. Requests go both ways, each is replied to and the reply
  /// acknowledged; the ways of a side's own packets are known to it when the other has told of them.
  public func news(seconds: Double, seed: UInt64) -> [News] {
    var random = Random(seed: seed)
    var news: [News] = []
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
    func out(_ time: Instant, known: Instant, delay: Nanoseconds) {
      let received = time + delay
      news.append(
        News(at: known, transit: ClockTransit(.out, sent: time, received: received + difference(at: received))))
    }
    func back(_ time: Instant, delay: Nanoseconds) {
      let transit = ClockTransit(.back, sent: time + difference(at: time), received: time + delay)
      news.append(News(at: time + delay, transit: transit))
    }
    let turn = Nanoseconds.microseconds(30)
    for time in probeTimes() {
      let sent = Instant(nanoseconds: Int64(time * 1e9))
      guard let there = network.delay(&random), let home = network.delay(&random) else { continue }
      let replied = sent + there + turn
      out(sent, known: replied + home, delay: there)
      back(replied, delay: home)
      // The acknowledgement's way is told by the master's next request.
      let acknowledged = replied + home + turn
      let pause = Nanoseconds(Int64(1e9 / (time < 60 ? probes.first : probes.later)))
      guard let there = network.delay(&random), let next = network.delay(&random) else { continue }
      out(acknowledged, known: acknowledged + there + pause + next, delay: there)
    }
    // The master's requests, the replies to them, and its acknowledgements.
    for time in probeTimes() {
      let sent = Instant(nanoseconds: Int64(time * 1e9))
      guard let here = network.delay(&random) else { continue }
      back(sent, delay: here)
      let replied = sent + here + turn
      guard let there = network.delay(&random), let home = network.delay(&random) else { continue }
      let acknowledged = replied + there + turn
      out(replied, known: acknowledged + home, delay: there)
      back(acknowledged, delay: home)
    }
    for time in times(perSecond: ticks, from: 0.6, to: seconds) {
      if let delay = network.delay(&random) { back(Instant(nanoseconds: Int64(time * 1e9)), delay: delay) }
    }
    return news.sorted { $0.at < $1.at }
  }
}

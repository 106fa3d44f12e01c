import ClockSync
import MusicalTime
import Simulation
import Testing
import _TestSupport

@Suite struct RemoteClockTests {
  /// The limit for 95 % of the estimates from the tenth to the fortieth second, for the median of the seeds, in
  /// microseconds.
  private static func limit(_ network: VirtualNetwork) -> Double {
    switch network {
    case .still: 2
    case .lan: 8
    case .wifi: 60
    default: 40
    }
  }

  /// The errors of the estimates in microseconds, every 50 ms, with their times in seconds.
  private static func errors(_ route: VirtualRoute, seconds: Double, seed: UInt64) -> [(second: Double, error: Double)]
  {
    var clock = RemoteClock()
    var errors: [(second: Double, error: Double)] = []
    var next = Instant(nanoseconds: 0)
    for news in route.news(seconds: seconds, seed: seed) {
      clock.add(news.transit, at: news.at)
      guard news.at >= next, let estimate = clock.estimate(at: news.at) else { continue }
      next = news.at + .milliseconds(50)
      let error = estimate.offset - route.difference(at: news.at)
      errors.append((Double(news.at.nanoseconds) / 1e9, error.microseconds))
      if error.magnitude > estimate.uncertainty { Issue.record("\(route.network), seed \(seed), at \(news.at)") }
    }
    #expect(clock.rejected == 0 && clock.resets == 0, "\(route.network), seed \(seed)")
    return errors
  }

  private static func p95(_ values: [Double]) -> Double { values.map(abs).sorted()[values.count * 95 / 100] }

  @Test(arguments: VirtualNetwork.lab) func estimateStaysWithinLimitsOnLabNetworks(network: VirtualNetwork) {
    var figures: [Double] = []
    for (skew, drift) in [(0.0, 0.0), (50, 1), (-50, -1)] {
      var route = VirtualRoute(network)
      (route.offset, route.skew, route.drift) = (.seconds(12345), skew, drift)
      let runs = (UInt64(1)...6).map { seed in
        let errors = Self.errors(route, seconds: 40, seed: seed)
        // The error is less than 1 ms one second after the start, 3 ms on a poor network.
        let early = errors.filter { (1...1.2).contains($0.second) }.map { abs($0.error) }
        #expect(early.max()! < (network == .poor ? 3000 : 1000), "\(network), seed \(seed)")
        return Self.p95(errors.filter { $0.second >= 10 }.map(\.error))
      }.sorted()
      figures.append((runs[2] + runs[3]) / 2)
      #expect(figures.last! <= Self.limit(network), "\(network), \(skew) ppm, \(drift) ppm a minute: \(runs)")
    }
    // The influence of the crystals is less than a fifth, or less than a tenth of a microsecond, the precision of the
    // stamps.
    for figure in figures { #expect(abs(figure - figures[0]) < max(figures[0] / 5, 0.1), "\(network): \(figures)") }
  }

  @Test(arguments: VirtualNetwork.lab) func estimateIsAccurateWithTwoProbesPerSecond(network: VirtualNetwork) {
    // Two probes per second, as for the thousandth follower, and the ticks.
    var route = VirtualRoute(network)
    (route.probes, route.skew) = ((2, 2), 20)
    let errors = Self.errors(route, seconds: 60, seed: 1).filter { $0.second > 20 }
    #expect(Self.p95(errors.map(\.error)) < 10 * Self.limit(network))
  }

  @Test func oneWayTrafficDoesNotBiasTheOffset() {
    // Other traffic delays packets out by up to 20 ms, and packets back hardly: the minimum is right, the mean is 5 ms
    // off.
    var random = VirtualRoute.Random(seed: 5)
    var clock = RemoteClock()
    for n in 0..<1000 {
      let sent = Instant(nanoseconds: Int64(n) * 20_000_000)
      let out = Nanoseconds(random.integer(in: 1_000_000...21_000_000))
      let now = sent + .milliseconds(50)
      clock.add(ClockTransit(.out, sent: sent, received: sent + out), at: now)
      let back = Nanoseconds(random.integer(in: 1_000_000...1_050_000))
      clock.add(ClockTransit(.back, sent: sent + out, received: sent + out + back), at: now)
    }
    let estimate = clock.estimate(at: Instant(nanoseconds: 20_000_000_000))!
    #expect(estimate.offset.magnitude < .microseconds(150), "\(estimate)")
  }

  @Test func coarseClockIsEstimatedWithinFiftyMicroseconds() {
    // One exchange every ten seconds. The remote stamps have units of 100 us, and the middle of the unit is used.
    var random = VirtualRoute.Random(seed: 8)
    var clock = RemoteClock()
    let ahead = Nanoseconds(7_654_321_012_345)
    var error = Nanoseconds.zero
    for n in 0..<200 {
      let sent = Instant(nanoseconds: Int64(n) * 10_000_000_000 + random.integer(in: 0...1_000_000))
      let turned = sent + .microseconds(30) + ahead
      let stamp = Instant(nanoseconds: turned.nanoseconds / 100_000 * 100_000 + 50_000)
      let received = sent + .microseconds(60)
      clock.add(ClockTransit(.out, sent: sent, received: stamp, resolution: .microseconds(100)), at: received)
      clock.add(ClockTransit(.back, sent: stamp, received: received, resolution: .microseconds(100)), at: received)
      if n > 20 { error = max(error, (clock.estimate(at: received)!.offset - ahead).magnitude) }
    }
    #expect(error < .microseconds(50), "\(error)")
    #expect(clock.rejected == 0 && clock.resets == 0)
  }

  @Test(arguments: VirtualNetwork.lab, [11.0, 60, 590, 10_800])
  func estimateContinuesAfterASilence(network: VirtualNetwork, length: Double) {
    for skew in [-50.0, 50] {
      var route = VirtualRoute(network)
      (route.skew, route.probes.later) = (skew, 50)
      var clock = RemoteClock()
      var news = route.news(seconds: 20, seed: 2).map { (at: $0.at, transit: $0.transit) }
      // The packets after the silence, shifted from a run that starts at 0.
      let gap = Nanoseconds(Int64((20 + length) * 1e9))
      let late = VirtualRoute(network).news(seconds: 3, seed: 4).map { item in
        let own = item.transit.local + gap
        let remote = item.transit.remote + gap + route.difference(at: own)
        let transit =
          item.transit.direction == .out
          ? ClockTransit(.out, sent: own, received: remote) : ClockTransit(.back, sent: remote, received: own)
        return (at: item.at + gap, transit: transit)
      }
      news += late
      for item in news {
        clock.add(item.transit, at: item.at)
        guard item.at > Instant(nanoseconds: 0) + gap, let estimate = clock.estimate(at: item.at) else { continue }
        let error = estimate.offset - route.difference(at: item.at)
        if error.magnitude > estimate.uncertainty || error.magnitude >= .milliseconds(10) {
          Issue.record("\(item.at): \(error), uncertainty \(estimate.uncertainty)")
        }
      }
      #expect(clock.rejected == 0 && clock.resets == 0, "\(skew)")
    }
  }

  /// The longer the silence, the more weight has the line whose slope is known better. The reported deviation covers
  /// the error, also if one direction had packets for only two seconds.
  @Test(arguments: VirtualNetwork.lab, [11.0, 60, 590])
  func deviationCoversTheErrorAfterASilence(network: VirtualNetwork, length: Double) throws {
    for seed in UInt64(1)...6 {
      for backFrom in [0.0, 18] {
        var route = VirtualRoute(network)
        (route.skew, route.probes.later) = (50, 50)
        var clock = RemoteClock()
        let began = Instant(nanoseconds: Int64(backFrom * 1e9))
        for item in route.news(seconds: 20, seed: seed) where item.transit.direction == .out || item.at >= began {
          clock.add(item.transit, at: item.at)
        }
        let end = Instant(nanoseconds: Int64((20 + length) * 1e9))
        let estimate = try #require(clock.estimate(at: end))
        let error = (estimate.offset - route.difference(at: end)).magnitude
        let limit = Nanoseconds(4 * estimate.deviation.count)
        let what = "\(network), seed \(seed), back from \(backFrom) s"
        #expect(error <= limit, "\(what): \(error) of \(limit)")
        if backFrom == 0 { #expect(limit < .microseconds(200) + Nanoseconds(Int64(length * 20_000)), "\(what)") }
      }
    }
  }

  @Test func estimateContinuesWhileOneDirectionIsSilent() {
    var route = VirtualRoute(.lan)
    route.skew = 50
    var clock = RemoteClock()
    for news in route.news(seconds: 60, seed: 1) {
      let second = Double(news.at.nanoseconds) / 1e9
      if (20...50).contains(second), news.transit.direction == .out { continue }
      clock.add(news.transit, at: news.at)
      guard second > 20, let estimate = clock.estimate(at: news.at) else { continue }
      let error = estimate.offset - route.difference(at: news.at)
      if error.magnitude >= .microseconds(50) { Issue.record("\(second) s: \(error)") }
    }
    #expect(clock.rejected == 0 && clock.resets == 0)
  }

  @Test func estimateNeedsBothDirections() {
    var clock = RemoteClock()
    let now = Instant(nanoseconds: 0)
    #expect(clock.estimate(at: now) == nil)
    clock.add(ClockTransit(.back, sent: now + .seconds(5), received: now), at: now)
    #expect(clock.estimate(at: now) == nil)
    clock.add(ClockTransit(.out, sent: now, received: now + .seconds(6)), at: now)
    let estimate = clock.estimate(at: now)!
    #expect(estimate.offset == .milliseconds(5500) && estimate.uncertainty == .milliseconds(500))
    #expect(!clock.isSettled)
  }
}

import ClockSync
import MusicalTime
import Seeds
import Testing
import VirtualRoutes

@Suite struct RemoteClockTests {
  /// What 95 of 100 estimates stay within from the tenth second to the fortieth, the median of seeds, in microseconds.
  static func bound(_ network: VirtualNetwork) -> Double {
    switch network {
    case .still: 2
    case .lan: 8
    case .wifi: 60
    case .poor: 40
    }
  }

  /// How far off the estimates are, microseconds, every 50 ms: by the second.
  static func errors(_ route: VirtualRoute, seconds: Double, seed: UInt64) -> [(second: Double, error: Double)] {
    var clock = RemoteClock()
    var errors: [(second: Double, error: Double)] = []
    var next = Instant(nanoseconds: 0)
    for news in route.news(seconds: seconds, seed: seed) {
      clock.add(news.transit)
      guard news.at >= next, let estimate = clock.estimate(at: news.at) else { continue }
      next = news.at + .milliseconds(50)
      let error = estimate.offset - route.difference(at: news.at)
      errors.append((Double(news.at.nanoseconds) / 1e9, error.microseconds))
      #expect(error.magnitude <= estimate.uncertainty, "\(route.network), seed \(seed), at \(news.at)")
    }
    #expect(clock.rejected == 0 && clock.resets == 0, "\(route.network), seed \(seed)")
    return errors
  }

  static func p95(_ values: [Double]) -> Double {
    let sorted = values.map(abs).sorted()
    return sorted[sorted.count * 95 / 100]
  }

  @Test(arguments: VirtualNetwork.allCases, [(0.0, 0.0), (50, 1), (-50, -1)])
  func theNetworksOfTheLab(network: VirtualNetwork, clocks: (skew: Double, drift: Double)) {
    var route = VirtualRoute(network)
    (route.offset, route.skew, route.drift) = (.seconds(12345), clocks.skew, clocks.drift)
    var figures: [Double] = []
    for seed in UInt64(1)...6 {
      let errors = Self.errors(route, seconds: 40, seed: seed)
      figures.append(Self.p95(errors.filter { $0.second >= 10 }.map(\.error)))
      // Within 1 ms a second after they met, 3 ms on a poor network.
      let early = errors.filter { (1...1.2).contains($0.second) }.map { abs($0.error) }.max() ?? .infinity
      #expect(early < (network == .poor ? 3000 : 1000), "\(network), seed \(seed)")
    }
    figures.sort()
    print(network, clocks, figures)
    #expect((figures[2] + figures[3]) / 2 < Self.bound(network), "\(network), \(clocks): \(figures)")
  }
}

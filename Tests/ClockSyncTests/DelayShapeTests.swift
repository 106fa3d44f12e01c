import ClockSync
import MusicalTime
import Testing
import _TestSupport

/// Tests of the accuracy of the estimate on networks with several distributions of delays, with losses in bursts and a skew of 20 ppm. The
/// standard deviation of all delays is 1 ms.
@Suite struct DelayShapeTests {
  /// An estimate during a test.
  private struct Sample {
    var second: Double
    /// The error, and the standard deviation of the estimate, in microseconds.
    var (error, deviation): (Double, Double)
  }

  /// Returns an estimate every 50 ms.
  private static func samples(_ measurements: [(at: Instant, transit: ClockTransit)], _ route: VirtualRoute) -> [Sample]
  {
    var clock = RemoteClock()
    var samples: [Sample] = []
    var next = Instant(nanoseconds: 0)
    for measurement in measurements {
      clock.add(measurement.transit, at: measurement.at)
      guard measurement.at >= next, let estimate = clock.estimate(at: measurement.at) else { continue }
      next = measurement.at + .milliseconds(50)
      let error = (estimate.offset - route.difference(at: measurement.at)).magnitude
      if error > estimate.uncertainty { Issue.record("\(route.network.name), \(measurement.at): \(error)") }
      samples.append(
        Sample(
          second: Double(measurement.at.nanoseconds) / 1e9, error: error.microseconds,
          deviation: estimate.deviation.microseconds))
    }
    #expect(clock.rejected == 0 && clock.resets == 0)
    return samples
  }

  /// The 95th percentile of the errors of each seed in a span of time: the median over all seeds.
  private static func median(_ runs: [[Sample]], _ seconds: Range<Double>) -> Double {
    let figures = runs.map { samples in
      let errors = samples.filter { seconds.contains($0.second) }.map(\.error).sorted()
      return errors[errors.count * 95 / 100]
    }.sorted()
    return (figures[figures.count / 2] + figures[(figures.count - 1) / 2]) / 2
  }

  /// The limits in microseconds, in the first two seconds and from 10 to 40 s.
  private static func limits(_ shape: DelayModel.Shape) -> (first: Double, late: Double) {
    switch shape {
    case .pareto: (100, 2)
    case .exponential: (190, 4)
    case .sharp, .uniform: (300, 12)
    case .gamma2: (200, 25)
    case .gamma3: (220, 34)
    case .paretonormal: (152, 28)
    case .twostate: (200, 60)
    // No estimate is better on normally distributed delays than the mean.
    case .gamma4, .normal: (350, 50)
    }
  }

  @Test(arguments: DelayModel.Shape.allCases) func errorStaysWithinLimits(shape: DelayModel.Shape) {
    var route = VirtualRoute(DelayModel(shape, deviation: .milliseconds(1), hasLoss: true))
    (route.offset, route.skew) = (.seconds(777), 20)
    let runs = (UInt64(1)...8).map { seed in
      Self.samples(route.measurements(seconds: 40, seed: seed).map { ($0.at, $0.transit) }, route)
    }
    let (first, late) = (Self.median(runs, 0..<2), Self.median(runs, 10..<40))
    let limits = Self.limits(shape)
    #expect(first <= limits.first && late <= limits.late, "\(shape): \(first) us, then \(late) us")
    // The deviation tells the truth, also at the beginning. In the network of two states, the delays of consecutive packets are alike, and
    // carry less information than those of independent packets.
    let all = runs.joined()
    for (name, samples) in [("first", all.filter { $0.second < 2 }), ("late", all.filter { $0.second >= 10 })] {
      let covered = Double(samples.count { $0.error <= 2 * $0.deviation }) / Double(samples.count)
      #expect(covered > (shape == .twostate ? 0.7 : 0.85), "\(shape), \(name): \(covered)")
    }
  }

  /// The delays and their scatter become ten times longer after 20 s, and shorter again after 40 s.
  @Test(arguments: [DelayModel.Shape.gamma3, .normal, .paretonormal])
  func errorStaysSmallWhenTheNetworkChanges(shape: DelayModel.Shape) {
    let runs = (UInt64(1)...6).map { seed in
      var measurements: [(at: Instant, transit: ClockTransit)] = []
      for (phase, microseconds) in [300, 3000, 300].enumerated() {
        let route = VirtualRoute(DelayModel(shape, deviation: .microseconds(Int64(microseconds))))
        let begin = Nanoseconds.seconds(Int64(20 * phase))
        for item in route.measurements(seconds: 20, seed: seed + UInt64(phase) * 100)
        where item.at < Instant(nanoseconds: 20_000_000_000) {
          let (sent, received) = (item.transit.sent + begin, item.transit.received + begin)
          measurements.append(
            (item.at + begin, ClockTransit(item.transit.direction, sent: sent, received: received)))
        }
      }
      return Self.samples(measurements, VirtualRoute(.lan))
    }
    // What was known before the change remains known. When the network is quiet again, the estimate is soon as good as before.
    let (before, busy, after) = (
      Self.median(runs, 15..<20), Self.median(runs, 20..<40), Self.median(runs, 45..<60)
    )
    #expect(busy < 3 * before + 5, "\(shape): \(before), \(busy) us")
    #expect(after < 2 * before + 5, "\(shape): \(before), \(after) us")
    let changed = runs.joined().filter { $0.second >= 20 }
    let covered = Double(changed.count { $0.error <= 3 * $0.deviation }) / Double(changed.count)
    #expect(covered > 0.9, "\(shape): \(covered)")
  }
}

import ClockSync
import Foundation
import MusicalTime
import _TestSupport

/// The error of the estimated clock on a network with one shape of delays: the medians over several seeds.
struct ShapeMeasurement: Encodable {
  var shape: String
  /// The standard deviation of the delays in milliseconds.
  var deviation: Double
  /// Whether packets are lost in bursts. In this case, the skew is 20 ppm; otherwise it is zero.
  var hasLoss: Bool
  /// The 95th percentile of the error in the first two seconds, and from 10 to 40 s, in microseconds: the medians over all seeds.
  var first, late: Double
  /// The fraction of the errors of all seeds that are at most twice the stated deviation, in both spans.
  var firstCoverage, lateCoverage: Double
  /// The estimates of all seeds that had a larger error than the stated uncertainty, and the packets rejected.
  var uncovered, rejected: Int

  /// Simulates 40 seconds with each seed.
  init(_ delays: DelayModel, seeds: ClosedRange<UInt64>) {
    (shape, deviation) = (delays.shape.rawValue, Double(delays.deviation.count) / 1e6)
    (hasLoss, uncovered, rejected) = (delays.hasLoss, 0, 0)
    var route = VirtualRoute(delays)
    (route.offset, route.skew) = (.seconds(4242), delays.hasLoss ? 20 : 0)
    var (firsts, lates): ([Double], [Double]) = ([], [])
    var (first, late) = (Span(), Span())
    for seed in seeds {
      var clock = RemoteClock()
      (first.errors, late.errors) = ([], [])
      var next = Instant(nanoseconds: 0)
      for measurement in route.measurements(seconds: 40, seed: seed) {
        let now = measurement.at
        if now > Instant(nanoseconds: 40_000_000_000) { break }
        clock.add(measurement.transit, at: now)
        guard now >= next, let estimate = clock.estimate(at: now) else { continue }
        next = now + .milliseconds(50)
        let error = (estimate.offset - route.difference(at: now)).magnitude
        if error > estimate.uncertainty { uncovered += 1 }
        let second = Double(now.nanoseconds) / 1e9
        if second < 2 { first.add(error, estimate) }
        if second >= 10 { late.add(error, estimate) }
      }
      rejected += clock.rejected
      firsts.append(first.percentile95)
      lates.append(late.percentile95)
    }
    (self.first, self.late) = (median(firsts), median(lates))
    (firstCoverage, lateCoverage) = (first.coverage, late.coverage)
  }

  /// The errors in a span of time.
  private struct Span {
    /// The errors of one seed in microseconds.
    var errors: [Double] = []
    /// The numbers of errors of all seeds: those of at most twice the stated deviation, and all.
    var (covered, all) = (0.0, 0.0)

    mutating func add(_ error: Nanoseconds, _ estimate: ClockEstimate) {
      errors.append(error.microseconds)
      all += 1
      if error.count <= 2 * estimate.deviation.count { covered += 1 }
    }

    var coverage: Double { covered / all }
    var percentile95: Double { p95(errors) }
  }

  static let header =
    "shape         sigma ms  loss, skew  p95 first 2 s  p95 10-40 s  within 2 deviations: first, late  uncovered  rejected"

  /// A line of the table.
  var line: String {
    shape.padding(toLength: 12, withPad: " ", startingAt: 0)
      + String(
        format: "%10.1f  %@ %12.2f %12.2f %24.3f %9.3f %10d %9d", deviation, hasLoss ? "yes       " : "no        ",
        first,
        late, firstCoverage, lateCoverage, uncovered, rejected)
  }
}

private func p95(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count * 95 / 100] }

/// The median of at least one value.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

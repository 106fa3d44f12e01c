import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of ``Distribution`` and ``SignedHistogram``: their figures are compared with the figures of the sorted data.
@Suite struct DistributionTests {
  /// The percentile of sorted data by the nearest-rank method. `thousandths` is the percentile times ten, for example 990 for p99.
  private func exact(_ sorted: [Int64], thousandths: Int) -> Int64 {
    sorted[max(1, (sorted.count * thousandths + 999) / 1_000) - 1]
  }

  /// One to 4000 random values with magnitudes of up to 69 s. The remainder of the seed modulo 3 selects their signs: with 0, no value
  /// is negative; with 1, no value is positive; with 2, both signs are possible.
  private func values(seed: UInt64) -> [Int64] {
    var random = SplitMix(seed: seed)
    let scale = Int64(1) << random.integer(in: 1...36)
    let low = seed % 3 == 0 ? 0 : -scale
    let high = seed % 3 == 1 ? -1 : scale
    let count = [1, 2, 3, 999, 1_000, 1_001, 4_000][Int(seed % 7)]
    return (0..<count).map { _ in random.integer(in: low...max(low, high)) / random.integer(in: 1...40) }
  }

  @Test(arguments: UInt64(1)...28) func summaryAgreesWithSortedData(seed: UInt64) throws {
    let values = values(seed: seed)
    let (sorted, count) = (values.sorted(), Double(values.count))
    let summary = try #require(Distribution(values.map { Nanoseconds($0) }))
    #expect(summary.count == values.count, "seed \(seed)")
    #expect(summary.minimum == Double(sorted[0]) && summary.maximum == Double(sorted[values.count - 1]), "seed \(seed)")
    for (figure, thousandths) in [(summary.p50, 500), (summary.p95, 950), (summary.p99, 990), (summary.p999, 999)] {
      #expect(figure == Double(exact(sorted, thousandths: thousandths)), "seed \(seed), \(thousandths)")
    }
    let mean = values.reduce(0) { $0 + Double($1) } / count
    #expect(abs(summary.mean - mean) <= 1e-9 * Double(sorted.map(\.magnitude).max()!) + 1e-9, "seed \(seed)")
    guard values.count > 1 else {
      #expect(summary.standardDeviation == nil)
      return
    }
    let variance = values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / (count - 1)
    #expect(try #require(summary.standardDeviation).isClose(to: variance.squareRoot(), 1e-9), "seed \(seed)")
  }

  /// The percentiles of a histogram are rounded away from zero by at most 0.1 %. The other figures are exact.
  @Test(arguments: UInt64(1)...28) func summaryOfAHistogramIsWithinItsResolution(seed: UInt64) throws {
    let values = values(seed: seed)
    var histogram = SignedHistogram()
    for value in values { histogram.record(Nanoseconds(value)) }
    let (coarse, exact) = (try #require(Distribution(histogram)), try #require(Distribution(values.map(Double.init))))
    #expect(coarse.count == exact.count && coarse.minimum == exact.minimum && coarse.maximum == exact.maximum)
    #expect(abs(coarse.mean - exact.mean) <= 1e-9 * max(abs(exact.minimum), abs(exact.maximum)) + 1e-9)
    for path in [\Distribution.p50, \.p95, \.p99, \.p999] {
      let (figure, value) = (coarse[keyPath: path], exact[keyPath: path])
      #expect(abs(figure) >= abs(value) && abs(figure - value) <= abs(value) / 1_000, "seed \(seed)")
    }
  }

  @Test func percentilesOfSmallValuesAreExact() {
    var histogram = SignedHistogram()
    for value in Int64(-1_000)..<0 { histogram.record(Nanoseconds(value)) }
    #expect(histogram.percentile(0.001) == Nanoseconds(-1_000))
    #expect(histogram.percentile(0.25) == Nanoseconds(-751))
    #expect(histogram.percentile(0) == Nanoseconds(-1_000) && histogram.percentile(1) == Nanoseconds(-1))
  }

  @Test func emptyDataHasNoSummary() {
    #expect(Distribution([Double]()) == nil && Distribution(SignedHistogram()) == nil)
    let none: Distribution? = nil
    #expect(none.row == ["0", "-", "-", "-", "-", "-", "-", "-", "-"] && none.row.count == Distribution.columns.count)
  }

  /// A histogram clamps values to -2^62...2^62 ns.
  @Test func valuesAtTheEndsOfInt64AreClampedInAHistogram() throws {
    var histogram = SignedHistogram()
    for value in [Int64.min, .max] { histogram.record(Nanoseconds(value)) }
    let summary = try #require(Distribution(histogram))
    #expect(summary.minimum == -4_611_686_018_427_387_904 && summary.maximum == 4_611_686_018_427_387_904)
  }

  /// The differences of two clocks that are a day apart, for 100 minutes of ticks at 120 BPM. The sum of the differences is more
  /// than 2^64 ns.
  @Test func percentilesOfLongRecordingsOfDistantClocksAreExact() {
    let day = Nanoseconds.seconds(86_400)
    var histogram = SignedHistogram()
    for _ in 0..<288_000 { histogram.record(day) }
    histogram.record(-day)
    #expect(histogram.percentile(0) == -day && histogram.percentile(0.5) == day && histogram.percentile(1) == day)
  }

  @Test func textIsInMicroseconds() throws {
    let summary = try #require(Distribution([-20_849.0, -50, 49.2, 1_000_000_050]))
    #expect(
      summary.row == [
        "4", "-20.849", "-0.050", "1000000.050", "1000000.050", "1000000.050", "1000000.050", "249994.800",
        "500003.500",
      ])
    #expect(Distribution.columns.count == summary.row.count)
  }

  @Test func jsonKeysNameTheUnit() throws {
    let summary = try #require(Distribution([-1_500.0, 2_001, 123_456]))
    let json = try JSONEncoder().encode(summary)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Double])
    #expect(
      Set(object.keys) == ["count", "min_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us", "mean_us", "sd_us"])
    #expect(object["min_us"] == -1.5 && object["max_us"] == 123.456)
    #expect(try JSONDecoder().decode(Distribution.self, from: json).maximum.isClose(to: 123_456, 1e-12))
  }
}

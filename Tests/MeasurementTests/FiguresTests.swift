import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Figures compared with exact ranks of sorted data.
@Suite struct FiguresTests {
  /// The percentile of sorted data by the nearest-rank method, for example `thousandths` 990 for p99.
  private func exact(_ sorted: [Int64], thousandths: Int) -> Int64 {
    sorted[max(1, (sorted.count * thousandths + 999) / 1_000) - 1]
  }

  /// Whether `figure` is within 0.1 % of `value`, away from zero: the documented resolution.
  private func agrees(_ figure: Nanoseconds, _ value: Int64) -> Bool {
    let slack = Int64(value.magnitude / 1_000)
    return value < 0
      ? (value - slack...value).contains(figure.count) : (value...value + slack).contains(figure.count)
  }

  @Test(arguments: UInt64(1)...28) func figuresAgreeWithSortedData(seed: UInt64) {
    var random = SplitMix(seed: seed)
    // Not negative (seed 0 modulo 3), not positive (1), or both (2); from nanoseconds to minutes; from one value to thousands.
    let scale = Int64(1) << random.integer(in: 1...36)
    let low = seed % 3 == 0 ? 0 : -scale
    let high = seed % 3 == 1 ? -1 : scale
    let count = [1, 2, 3, 999, 1_000, 1_001, 4_000][Int(seed % 7)]
    let values = (0..<count).map { _ in random.integer(in: low...max(low, high)) / random.integer(in: 1...40) }
    let sorted = values.sorted()
    let figures = Figures(signed: values.map { Nanoseconds($0) })
    #expect(figures.count == count, "seed \(seed)")
    #expect(figures.minimum.count == sorted[0] && figures.maximum.count == sorted[count - 1], "seed \(seed)")
    #expect(agrees(figures.p50, exact(sorted, thousandths: 500)), "seed \(seed)")
    #expect(agrees(figures.p99, exact(sorted, thousandths: 990)), "seed \(seed)")
    #expect(agrees(figures.p999, exact(sorted, thousandths: 999)), "seed \(seed)")
    #expect(figures.mean.count == values.reduce(0, +) / Int64(count), "seed \(seed)")
    let magnitudes = values.map { Int64($0.magnitude) }.sorted()
    let absolute = Figures(absolute: values.map { Nanoseconds($0) })
    #expect(absolute.minimum.count == magnitudes[0] && absolute.maximum.count == magnitudes[count - 1], "seed \(seed)")
    #expect(agrees(absolute.p99, exact(magnitudes, thousandths: 990)), "seed \(seed)")
  }

  @Test func percentilesOfSmallValuesAreExact() {
    let figures = Figures(signed: (-2_000...2_000).map { Nanoseconds($0) })
    #expect(figures.p50 == Nanoseconds(0) && figures.p99 == Nanoseconds(1_960) && figures.mean == .zero)
    var histogram = SignedHistogram()
    for value in Int64(-1_000)..<0 { histogram.record(Nanoseconds(value)) }
    #expect(histogram.percentile(0.001) == Nanoseconds(-1_000))
    #expect(histogram.percentile(0.25) == Nanoseconds(-751))
    #expect(histogram.percentile(0) == Nanoseconds(-1_000) && histogram.percentile(1) == Nanoseconds(-1))
  }

  @Test func emptyDistributionIsShownAsDashes() {
    let figures = Figures(signed: [Nanoseconds]())
    #expect(figures.count == 0 && figures.maximum == .zero)
    #expect(figures.row == ["0", "-", "-", "-", "-", "-", "-"])
  }

  @Test func valuesAtTheEndsOfInt64AreClamped() {
    let figures = Figures(signed: [Nanoseconds(.min), Nanoseconds(.max)])
    #expect(figures.minimum.count == -(1 << 62) && figures.maximum.count == 1 << 62)
    #expect(Figures(absolute: [Nanoseconds(.min)]).minimum.count == 1 << 62)
  }

  /// The differences of clocks that differ by a day, during 100 minutes of ticks at 120 BPM. Their sum is more than 2^64 ns.
  @Test func percentilesOfLongRecordingsOfDistantClocksAreExact() {
    let day = Nanoseconds.seconds(86_400)
    var histogram = SignedHistogram()
    for _ in 0..<288_000 { histogram.record(day) }
    histogram.record(-day)
    #expect(histogram.percentile(0) == -day && histogram.percentile(0.5) == day && histogram.percentile(1) == day)
  }

  @Test func textIsInMicroseconds() {
    let figures = Figures(signed: [-20_849, -50, 49, 1_000_000_050].map { Nanoseconds($0) })
    #expect(figures.row == ["4", "-20.8", "-0.1", "1000000.1", "1000000.1", "1000000.1", "249994.8"])
    #expect(Figures.columns.count == figures.row.count)
  }

  @Test func jsonKeysNameTheUnit() throws {
    let figures = Figures(signed: [-1_500, 2_001, 123_456].map { Nanoseconds($0) })
    let json = try JSONEncoder().encode(figures)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Double])
    #expect(Set(object.keys) == ["count", "min_us", "p50_us", "p99_us", "p999_us", "max_us", "mean_us"])
    #expect(object["min_us"] == -1.5 && object["max_us"] == 123.456)
    #expect(try JSONDecoder().decode(Figures.self, from: json) == figures)
    let implausible = Data(String(decoding: json, as: UTF8.self).replacing("123.456", with: "1e300").utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Figures.self, from: implausible) }
  }
}

import Foundation

/// The cross-correlation of two series of activity, and the lag at which it is greatest.
///
/// For each lag, Pearson's correlation coefficient of the first series and the second series `lag` samples later. If the greatest
/// coefficient is at a positive lag, the second series follows the first. The lag is interpolated by a parabola through the greatest
/// coefficient and its neighbours.
///
/// Intervals are by a block jackknife (``BlockJackknife``). The sums of each block are kept, so the coefficients without a block follow by
/// subtraction. Activities change slowly. Two independent series therefore often have a coefficient far from 0 at some lag. A lag is
/// reported only if its coefficient exceeds 0 in a test with the level 2.5 % divided by ``independentLags`` (C. Bonferroni).
struct LaggedCorrelation {
  /// The coefficients, from the most negative to the greatest lag; nil for a constant series.
  let coefficients: [Double?]
  /// The coefficient at lag 0.
  let simultaneous: Estimate?
  /// The lag of the greatest coefficient in samples, and this coefficient; nil if the coefficient does not differ from 0 significantly.
  let peak: (lag: Estimate, coefficient: Estimate)?

  /// The number of lags at which the coefficients are taken for independent.
  private static let independentLags = 20
  /// The 99.875 % quantile of the normal distribution: 1 - 0.025 / 20.
  private static let peakQuantile = 3.0233

  /// Correlates two series.
  ///
  /// - Parameters:
  ///   - first: the samples of the first series; NaN where it is not known.
  ///   - second: the samples of the second series at the same instants.
  ///   - lags: the greatest lag in samples.
  ///   - shortestBlock: the shortest length of a block in samples.
  init(_ first: [Double], _ second: [Double], lags: Int, shortestBlock: Int) {
    let count = min(max(first.count / shortestBlock, 1), BlockJackknife.blocks.upperBound)
    let width = 2 * lags + 1
    var blocks = [[Sums]](repeating: [Sums](repeating: Sums(), count: width), count: count)
    for block in 0..<count {
      for index in block * first.count / count..<(block + 1) * first.count / count where !first[index].isNaN {
        for lag in max(-lags, -index)...max(min(lags, first.count - 1 - index), max(-lags, -index)) {
          let other = second[index + lag]
          if !other.isNaN { blocks[block][lag + lags].add(first[index], other) }
        }
      }
    }
    let all = (0..<width).map { lag in blocks.reduce(Sums()) { $0 + $1[lag] } }
    func coefficient(_ lag: Int, without block: Int?) -> Double? {
      (block.map { all[lag] - blocks[$0][lag] } ?? all[lag]).coefficient
    }
    coefficients = (0..<width).map { all[$0].coefficient }
    simultaneous = BlockJackknife.estimate(blocks: count, on: .correlation) { coefficient(lags, without: $0) }
    func peakLag(without block: Int?) -> Double? {
      let values = (0..<width).map { coefficient($0, without: block) ?? -2 }
      let best = values.indices.max { values[$0] < values[$1] }!
      guard values[best] > -2 else { return nil }
      guard best > 0, best < width - 1, values[best - 1] > -2, values[best + 1] > -2 else { return Double(best - lags) }
      let curvature = values[best - 1] - 2 * values[best] + values[best + 1]
      let shift = curvature < 0 ? (values[best - 1] - values[best + 1]) / (2 * curvature) : 0
      return Double(best - lags) + shift
    }
    guard count >= BlockJackknife.blocks.lowerBound, let lag = BlockJackknife.estimate(blocks: count, peakLag),
      case let index = min(max(Int(lag.value.rounded()) + lags, 0), width - 1),
      let greatest = BlockJackknife.estimate(blocks: count, on: .correlation, { coefficient(index, without: $0) }),
      let interval = greatest.interval
    else {
      peak = nil
      return
    }
    // The half width of the interval on the scale of Fisher is extended to the quantile of the test.
    let half = (atanh(interval.upperBound) - atanh(interval.lowerBound)) / 2
    let factor =
      BlockJackknife.quantile(count - 1, z: Self.peakQuantile) / BlockJackknife.quantile(count - 1)
    peak = atanh(greatest.value) > half * factor ? (lag, greatest) : nil
  }

  /// The sums of pairs of values, from which the coefficient follows.
  private struct Sums {
    var n = 0.0
    var x = 0.0
    var y = 0.0
    var xx = 0.0
    var yy = 0.0
    var xy = 0.0

    mutating func add(_ a: Double, _ b: Double) {
      n += 1
      x += a
      y += b
      xx += a * a
      yy += b * b
      xy += a * b
    }

    static func + (a: Sums, b: Sums) -> Sums {
      Sums(n: a.n + b.n, x: a.x + b.x, y: a.y + b.y, xx: a.xx + b.xx, yy: a.yy + b.yy, xy: a.xy + b.xy)
    }

    static func - (a: Sums, b: Sums) -> Sums {
      Sums(n: a.n - b.n, x: a.x - b.x, y: a.y - b.y, xx: a.xx - b.xx, yy: a.yy - b.yy, xy: a.xy - b.xy)
    }

    var coefficient: Double? {
      guard n >= 10 else { return nil }
      let (varianceX, varianceY) = (xx - x * x / n, yy - y * y / n)
      // The values are whole numbers of 0...127, so a variance below this limit is a rounding error of a constant series.
      guard varianceX > 1e-6 * n, varianceY > 1e-6 * n else { return nil }
      return min(max((xy - x * y / n) / (varianceX * varianceY).squareRoot(), -1), 1)
    }
  }
}

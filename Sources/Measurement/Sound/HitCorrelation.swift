import Foundation

/// Measures the time difference of one hit in two recordings, by cross-correlation, with a resolution far below one frame.
///
/// Peers play the same sound. The lag with the maximum correlation of the two recordings around a hit is therefore the
/// time difference of the hit, regardless of the exact frames of the detected onsets. The correlation compares the
/// recordings from 2 ms before the onset to 20 ms after it. Both recordings are first filtered. The filter
/// (``WhiteningFilter``) whitens the sound before the hit: noise and the ringing of earlier hits. This is the
/// maximum-likelihood weighting of C. H. Knapp and G. C. Carter, "The generalized correlation method for estimation of time
/// delay", IEEE Trans. ASSP 24 (4), 1976. The correlation coefficient is normalised at every lag.
///
/// Between whole frames, the correlation is interpolated by a sinc function with a Hann window, because the
/// correlation of band-limited signals is itself band-limited. A parabola through three values would be wrong by up to
/// a tenth of a frame for noise-like sounds.
struct HitCorrelation {
  /// The maximum lag in frames relative to the detected onsets: 4 ms.
  private let maximumLag: Int
  /// The frames compared before the onset: 2 ms.
  private let before: Int
  /// The frames compared after the onset.
  private let after: Int

  /// The minimum correlation coefficient of two hits with the same sound.
  private static let minimumCoefficient = 0.6
  /// The number of values on each side of a position that the interpolation uses.
  private static let taps = 16

  /// Creates a correlation for recordings with `rate` frames per second.
  ///
  /// - Parameter after: the frames compared after the onset; nil for 20 ms.
  init(rate: Int, after: Int? = nil) {
    maximumLag = rate * 4 / 1_000
    before = rate * 2 / 1_000
    self.after = after ?? rate * 20 / 1_000
  }

  /// Returns the position in `second`, in frames, that corresponds to `frame` of `first`. The search is limited to the maximum
  /// lag around `guess`. Returns nil if the coefficient is too small everywhere, or largest at one end of the search range.
  func match(_ frame: Int, in first: [Float], near guess: Int, in second: [Float]) -> Double? {
    let (length, lags) = (before + after, maximumLag + Self.taps)
    // The noise is the sound before the hit. It ends where the comparison at the earliest lag begins: `end` frames before the onset.
    let end = before + maximumLag
    let filter = WhiteningFilter(
      noise: [first[clamped: frame - end - length..<frame - end], second[clamped: guess - end - length..<guess - end]])
    let x = filter.output(of: first, from: frame - before, count: length)
    let y = filter.output(of: second, from: guess - before - lags, count: length + 2 * lags)
    let powerOfX = x.reduce(0) { $0 + $1 * $1 }
    guard powerOfX > 0 else { return nil }
    // For each lag, the sum of the products of x and y, and the power of the part of y that is compared. The index 0 stands for
    // the position `lags` frames before `guess`.
    var products: [Double] = []
    var powers = [y[..<length].reduce(0) { $0 + $1 * $1 }]
    products.reserveCapacity(2 * lags + 1)
    powers.reserveCapacity(2 * lags + 1)
    for lag in 0...2 * lags {
      var product = 0.0
      for index in 0..<length { product += x[index] * y[lag + index] }
      products.append(product)
      if lag < 2 * lags { powers.append(max(powers[lag] + y[lag + length] * y[lag + length] - y[lag] * y[lag], 0)) }
    }
    var best = (lag: 0, coefficient: 0.0)
    let range = Self.taps...2 * lags - Self.taps
    // A power 60 dB below that of x is silence with rounding noise.
    for lag in range where powers[lag] > powerOfX * 1e-6 {
      let coefficient = products[lag] / (powerOfX * powers[lag]).squareRoot()
      if coefficient > best.coefficient { best = (lag, coefficient) }
    }
    guard best.coefficient >= Self.minimumCoefficient, best.lag > range.lowerBound, best.lag < range.upperBound else {
      return nil
    }
    let position = Double(guess - lags)
    // If the samples are equal, the time difference is a whole number of frames.
    guard best.coefficient < 1 - 1e-9 else { return position + Double(best.lag) }
    return position + Self.maximum(near: best.lag, products: products, powers: powers)
  }

  /// Returns the lag, at most one frame from `lag`, with the maximum interpolated coefficient. A golden-section search finds it to
  /// 1e-4 frames.
  private static func maximum(near lag: Int, products: [Double], powers: [Double]) -> Double {
    func coefficient(_ position: Double) -> Double {
      let whole = Int(position.rounded(.down))
      let part = position - Double(whole)
      // The power is a sum over hundreds of frames and changes slowly, so linear interpolation is sufficient.
      let power = powers[whole] + (powers[whole + 1] - powers[whole]) * part
      return power > 0 ? interpolated(products, at: position) / power.squareRoot() : 0
    }
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (Double(lag - 1), Double(lag + 1))
    var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
    var (atLeft, atRight) = (coefficient(left), coefficient(right))
    while high - low > 1e-4 {
      if atLeft > atRight {
        (high, right, atRight) = (right, left, atLeft)
        left = high - ratio * (high - low)
        atLeft = coefficient(left)
      } else {
        (low, left, atLeft) = (left, right, atRight)
        right = low + ratio * (high - low)
        atRight = coefficient(right)
      }
    }
    return (low + high) / 2
  }

  /// Returns the value of `values` at a position between two indices, by a sinc function with a Hann window. `values` contains at
  /// least ``taps`` values on each side of the position.
  private static func interpolated(_ values: [Double], at position: Double) -> Double {
    let whole = Int(position.rounded(.down))
    var (sum, weights) = (0.0, 0.0)
    for index in whole - taps + 1...whole + taps where values.indices.contains(index) {
      let distance = position - Double(index)
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      let weight = sinc * (0.5 + 0.5 * cos(.pi * distance / Double(taps)))
      sum += weight * values[index]
      weights += weight
    }
    return sum / weights
  }
}

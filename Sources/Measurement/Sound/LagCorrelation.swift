import Foundation

/// The correlation coefficient of a short signal x with the parts of a longer signal y, as a function of the lag, also between whole
/// frames.
///
/// Between whole frames, y is interpolated by a sinc function with a Hann window, because recordings are band-limited. The coefficient is
/// calculated in steps of an eighth of a frame. At 20 kHz and 48 kHz, an eighth of a frame is 19 degrees, so the coefficient at the step
/// nearest to the maximum is at most 2 % smaller. A parabola through the largest coefficient and its neighbours gives the position. The
/// power of the interpolated part of y is exact at each step. A power that is interpolated between whole frames would move the flat
/// maximum of a kick by up to a frame.
struct LagCorrelation {
  /// The number of values on each side of a position that the interpolation uses. The lags at which y begins and ends are not
  /// searched, because they have fewer.
  static let taps = 16
  /// The number of steps per frame.
  private static let steps = 8

  /// The power of x: the sum of its squares.
  let power: Double
  /// The powers of the parts of y at all steps, from the lag ``taps`` on.
  private var powers: [Double]
  /// The coefficients at all steps, from the lag ``taps`` on.
  private var coefficients: [Double]

  /// Correlates `x` with all parts of `y` that have its length. The lag 0 is the beginning of `y`. Both have the same number of frames per
  /// second. `y` is longer than `x` by at least 2 ``taps``.
  init(_ x: [Double], _ y: [Double]) {
    let length = x.count
    let lags = y.count - length - 2 * Self.taps
    power = x.reduce(0) { $0 + $1 * $1 }
    // For each whole lag, the sum of the products of x and the part of y.
    let products = (0...y.count - length).map { lag in
      var product = 0.0
      for index in 0..<length { product += x[index] * y[lag + index] }
      return product
    }
    powers = [Double](repeating: 0, count: lags * Self.steps)
    coefficients = powers
    guard power > 0 else { return }
    for (step, kernel) in Self.kernels.enumerated() {
      // y and the products at the positions that are `step` steps after those of whole frames.
      let shifted = Self.filter(y, kernel)
      let product = Self.filter(products, kernel)
      var sum = shifted[..<length].reduce(0) { $0 + $1 * $1 }
      for lag in 0..<lags {
        let index = lag * Self.steps + step
        powers[index] = max(sum, 0)
        // A power 60 dB below that of x is silence with rounding noise.
        if sum > power * 1e-6 { coefficients[index] = product[lag] / (power * sum).squareRoot() }
        sum += shifted[lag + length] * shifted[lag + length] - shifted[lag] * shifted[lag]
      }
    }
  }

  /// Returns the lag in frames at which the coefficient times `sign` is largest, and this value. Returns nil if the value is largest at
  /// one end of the search range.
  ///
  /// - Parameter sign: 1, or -1 to search for the most negative coefficient.
  func maximum(_ sign: Double) -> (lag: Double, coefficient: Double)? {
    var best = 0
    for index in coefficients.indices where sign * coefficients[index] > sign * coefficients[best] { best = index }
    guard best > 0, best < coefficients.count - 1 else { return nil }
    let lag = Double(Self.taps) + Double(best) / Double(Self.steps)
    // If the samples are equal, the difference is a whole number of frames.
    if best % Self.steps == 0, abs(coefficients[best]) >= 1 - 1e-9 { return (lag, abs(coefficients[best])) }
    let values = (best - 1...best + 1).map { sign * coefficients[$0] }
    let curvature = 2 * values[1] - values[0] - values[2]
    let part = curvature > 0 ? (values[2] - values[0]) / (2 * curvature) : 0
    return (lag + part / Double(Self.steps), min(values[1] + (values[2] - values[0]) * part / 4, 1))
  }

  /// Returns the power of the part of y at the step nearest to `lag`.
  func power(at lag: Double) -> Double {
    powers[min(max(Int(((lag - Double(Self.taps)) * Double(Self.steps)).rounded()), 0), powers.count - 1)]
  }

  /// Returns the values between the elements of `values`, from the element ``taps`` on.
  private static func filter(_ values: [Double], _ kernel: [Double]) -> [Double] {
    (0...values.count - kernel.count).dropFirst().map { start in
      var sum = 0.0
      for index in kernel.indices { sum += kernel[index] * values[start + index] }
      return sum
    }
  }

  /// The kernels of all steps within a frame.
  private static let kernels = (0..<steps).map { kernel(Double($0) / Double(steps)) }

  /// Returns the weights of the 2 ``taps`` values around a position, which lies `part` of a frame after the value with the index
  /// `taps - 1`. The sum of the weights is 1.
  private static func kernel(_ part: Double) -> [Double] {
    let weights = (1 - taps...taps).map { index in
      let distance = part - Double(index)
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      return sinc * (0.5 + 0.5 * cos(.pi * distance / Double(taps)))
    }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}

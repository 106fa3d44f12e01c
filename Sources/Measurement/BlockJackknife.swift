import Foundation

/// The confidence interval of a figure of a series whose values depend on their neighbours.
///
/// The series is divided into blocks of consecutive values. The figure is calculated once without each block. The scatter of these values
/// gives the standard error (H. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17 (3),
/// 1989, section 2, with blocks that do not overlap). If a block is much longer than the time for which neighbours depend on each other,
/// the dependence hardly affects the interval. A formula for independent values would give an interval that is too narrow.
///
/// The interval is symmetrical on a scale on which the estimate is nearly normally distributed (``Scale``).
enum BlockJackknife {
  /// The scale on which an interval is symmetrical.
  enum Scale {
    /// The value itself.
    case linear
    /// The logarithm, for positive values such as a standard deviation.
    case logarithmic
    /// The inverse hyperbolic tangent (R. Fisher, 1921), for values between -1 and 1 such as a correlation.
    case correlation
    /// The logarithm of the odds, for values between 0 and 1 such as a share.
    case odds

    /// The value on this scale. It can be infinite.
    fileprivate func apply(_ value: Double) -> Double {
      switch self {
      case .linear: value
      case .logarithmic: log(value)
      case .correlation: atanh(value)
      case .odds: log(value / (1 - value))
      }
    }

    /// The inverse of ``apply(_:)``.
    fileprivate func revert(_ value: Double) -> Double {
      switch self {
      case .linear: value
      case .logarithmic: exp(value)
      case .correlation: tanh(value)
      case .odds: 1 / (1 + exp(-value))
      }
    }
  }

  /// The smallest length of a block in values.
  static let shortestBlock = 10
  /// The greatest and the smallest number of blocks.
  static let blocks = 5...16

  /// Returns the 97.5 % quantile of Student's t distribution (M. Abramowitz and I. Stegun, "Handbook of mathematical functions", 26.7.5).
  /// The error is below 0.01.
  ///
  /// - Parameters:
  ///   - freedom: the number of degrees of freedom, at least 4.
  ///   - z: the quantile of the normal distribution.
  static func quantile(_ freedom: Int, z: Double = 1.959964) -> Double {
    let (n, z2) = (Double(freedom), z * z)
    let terms = [
      z * (z2 + 1) / 4, z * ((5 * z2 + 16) * z2 + 3) / 96, z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
      z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92_160,
    ]
    return z + terms.enumerated().reduce(0) { $0 + $1.element / pow(n, Double($1.offset + 1)) }
  }

  /// Calculates a figure of `series` and its interval. The interval is nil with fewer than 50 values, or if the figure is not defined
  /// without one of the blocks.
  ///
  /// - Parameters:
  ///   - series: the values in order of time.
  ///   - scale: the scale on which the interval is symmetrical.
  ///   - figure: returns the figure of a series; nil if it is not defined. It is called up to 17 times.
  /// - Returns: nil if the figure of the whole series is not defined.
  static func estimate<Element>(
    of series: [Element], on scale: Scale = .linear, _ figure: ([Element]) -> Double?
  ) -> Estimate? {
    let count = min(series.count / shortestBlock, blocks.upperBound)
    return estimate(blocks: count, on: scale) { block in
      guard let block else { return figure(series) }
      let (first, end) = (block * series.count / count, (block + 1) * series.count / count)
      return figure(Array(series[..<first] + series[end...]))
    }
  }

  /// Calculates a figure and its interval from blocks.
  ///
  /// - Parameters:
  ///   - count: the number of blocks. With fewer than five, the interval is nil.
  ///   - scale: the scale on which the interval is symmetrical.
  ///   - figure: returns the figure without a block, or of all blocks (nil). It returns nil if the figure is not defined.
  static func estimate(blocks count: Int, on scale: Scale = .linear, _ figure: (_ without: Int?) -> Double?)
    -> Estimate?
  {
    guard let value = figure(nil), value.isFinite else { return nil }
    let center = scale.apply(value)
    guard count >= blocks.lowerBound, center.isFinite else { return Estimate(value) }
    var without: [Double] = []
    for block in 0..<count {
      guard let part = figure(block), scale.apply(part).isFinite else { return Estimate(value) }
      without.append(scale.apply(part))
    }
    let mean = without.reduce(0, +) / Double(count)
    let squares = without.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = (squares * Double(count - 1) / Double(count)).squareRoot()
    let half = quantile(count - 1) * error
    return Estimate(value, scale.revert(center - half)...scale.revert(center + half))
  }
}

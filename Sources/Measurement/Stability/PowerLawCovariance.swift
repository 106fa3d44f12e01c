import Foundation

/// The covariance matrix of the phase under power-law noise, for blocks of adjacent values.
///
/// The phase of power-law noise is white noise that a filter has integrated to a fractional order. The impulse response of the filter is
/// h(0) = 1, h(k) = h(k - 1) (k - 1 + beta / 2) / k, where beta is the exponent of the spectral density of the phase, S(f) ~ f^-beta
/// (N. J. Kasdin, "Discrete Simulation of Colored Noise and Stochastic Processes and 1/f^alpha Power Law Noise Generation", Proc. IEEE 83
/// (5), 1995). The exponent is 2 - alpha for the types of ``PowerLawNoise``. The noise begins with the first value, so the matrix is finite
/// for all types. The same filter is used for the errors of rates in geodesy (S. Williams, "The effect of coloured noise on the
/// uncertainties of rates estimated from geodetic time series", Journal of Geodesy 76, 2003).
///
/// A long series is reduced to the means of at most 64 blocks. The mean keeps the slow noise, on which the error of a slope depends.
struct PowerLawCovariance: Sendable {
  /// The largest number of blocks.
  static let size = 64

  /// The exponent beta of the spectral density of the phase.
  let exponent: Double
  /// The number of values in a block.
  let valuesPerBlock: Int
  /// The rows of the matrix, one after the other. The variance of the white noise is 1.
  private let elements: [Double]

  /// Calculates the matrix.
  init(exponent: Double, valuesPerBlock: Int) {
    (self.exponent, self.valuesPerBlock) = (exponent, valuesPerBlock)
    let (size, count) = (Self.size, Self.size * valuesPerBlock)
    // The sums of the impulse response: total[k] is h(0) + ... + h(k - 1).
    var (total, response) = ([0.0, 1.0], 1.0)
    for k in 1..<count {
      response *= (Double(k) - 1 + exponent / 2) / Double(k)
      total.append(total[k] + response)
    }
    // The weight of each value of the white noise in the mean of each block.
    let weights = (0..<size).map { block in
      (0..<(block + 1) * valuesPerBlock).map { value in
        let (first, end) = (max(block * valuesPerBlock - value, 0), (block + 1) * valuesPerBlock - value)
        return (total[end] - total[first]) / Double(valuesPerBlock)
      }
    }
    var elements = [Double](repeating: 0, count: size * size)
    for row in 0..<size {
      for column in 0...row {
        // The shorter of the two arrays determines the length of the sum.
        let product = zip(weights[row], weights[column]).reduce(0) { $0 + $1.0 * $1.1 }
        (elements[row * size + column], elements[column * size + row]) = (product, product)
      }
    }
    self.elements = elements
  }

  /// The covariance of two blocks.
  subscript(row: Int, column: Int) -> Double { elements[row * Self.size + column] }

  /// Returns the spectral density of the block means at a low frequency, in units of the density of white noise with the variance 1.
  ///
  /// - Parameter frequency: the frequency in cycles per block.
  func density(at frequency: Double) -> Double {
    pow(2 * Double.pi * frequency / Double(valuesPerBlock), -exponent) / Double(valuesPerBlock)
  }

  /// Returns the matrices with the exponents 0.5, 1, 1.5, ..., 4 for blocks of one value or of several values. Four values represent a
  /// longer block, because the matrix, apart from its scale, hardly depends on the number of values from four on.
  static func halfSteps(isAveraged: Bool) -> [PowerLawCovariance] { isAveraged ? averaged : single }

  private static let single = (1...8).map { PowerLawCovariance(exponent: Double($0) / 2, valuesPerBlock: 1) }
  private static let averaged = (1...8).map { PowerLawCovariance(exponent: Double($0) / 2, valuesPerBlock: 4) }
}

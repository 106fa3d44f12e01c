import Foundation

/// The equivalent degrees of freedom of an overlapping Allan variance, and the confidence interval that follows.
struct AllanConfidence {
  /// The equivalent degrees of freedom, at least 1.
  let degreesOfFreedom: Double

  /// Calculates the degrees of freedom.
  ///
  /// The approximations are those for the overlapping Allan variance in NIST SP 1065, section 5.4.1, table 5 (D. Howe,
  /// D. Allan and J. Barnes, 35th Annual Symposium on Frequency Control, 1981). They use the averaging factor, m (`factor`), and the number
  /// of phase values, n. An uninterrupted series has n - 2m terms. A series with missing values is treated as an uninterrupted
  /// series with the same number of terms.
  ///
  /// - Parameters:
  ///   - noise: the type of the noise.
  ///   - factor: the observation time, as a number of intervals between adjacent values.
  ///   - terms: the number of terms in the variance, at least 1.
  init(noise: PowerLawNoise, factor: Int, terms: Int) {
    let m = Double(factor)
    let n = Double(terms + 2 * factor)
    let degrees: Double
    switch noise {
    case .whitePhase: degrees = (n + 1) * (n - 2 * m) / (2 * (n - m))
    case .flickerPhase: degrees = exp((log((n - 1) / (2 * m)) * log((2 * m + 1) * (n - 1) / 4)).squareRoot())
    case .whiteFrequency:
      degrees = (3 * (n - 1) / (2 * m) - 2 * (n - 2) / n) * 4 * m * m / (4 * m * m + 5)
    case .flickerFrequency:
      degrees = factor == 1 ? 2 * (n - 2) * (n - 2) / (2.3 * n - 4.9) : 5 * n * n / (4 * m * (n + 3 * m))
    case .randomWalkFrequency:
      degrees = (n - 2) / m * ((n - 1) * (n - 1) - 3 * m * (n - 1) + 4 * m * m) / ((n - 3) * (n - 3))
    }
    degreesOfFreedom = degrees.isFinite ? max(degrees, 1) : 1
  }

  /// Returns the confidence interval of the Allan deviation `value`, at the confidence `level` (NIST SP 1065, section 5.3.2).
  func interval(of value: Double, level: Double = 0.95) -> ClosedRange<Double> {
    let distribution = ChiSquared(degrees: degreesOfFreedom)
    let low = value * (degreesOfFreedom / distribution.quantile((1 + level) / 2)).squareRoot()
    let high = value * (degreesOfFreedom / distribution.quantile((1 - level) / 2)).squareRoot()
    return low...max(low, high)
  }
}

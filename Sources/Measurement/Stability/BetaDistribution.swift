import Foundation

/// The beta distribution. Its distribution function is the regularised incomplete beta function, which is calculated by its continued
/// fraction (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.5.8).
struct BetaDistribution {
  /// The two parameters, greater than 0.
  let a, b: Double

  /// Returns the probability of a value below `x`, which is at least 0 and at most 1.
  func probability(below x: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let logBeta = ChiSquared.logGamma(a) + ChiSquared.logGamma(b) - ChiSquared.logGamma(a + b)
    let front = exp(a * log(x) + b * log1p(-x) - logBeta)
    // The continued fraction converges quickly below the mean of the distribution.
    return x < (a + 1) / (a + b + 2)
      ? front * Self.fraction(x, a, b) / a
      : 1 - front * Self.fraction(1 - x, b, a) / b
  }

  /// Returns the continued fraction of the incomplete beta function, by the method of W. Lentz (1976).
  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    func nonzero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
    var c = 1.0
    var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
    var value = d
    for m in 1...10_000 {
      let m = Double(m)
      for term in [
        m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
      ] {
        d = 1 / nonzero(1 + term * d)
        c = nonzero(1 + term / c)
        value *= c * d
      }
      if abs(c * d - 1) < 1e-14 { break }
    }
    return value
  }
}

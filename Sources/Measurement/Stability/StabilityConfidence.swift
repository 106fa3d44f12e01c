import Foundation

/// The equivalent degrees of freedom of an overlapping stability variance, and the confidence interval that follows.
///
/// A stability variance is the mean square of overlapping differences of the phase. Neighbouring differences are correlated, so the
/// variance has fewer degrees of freedom than terms. The squared correlations of all pairs of terms give the number that a chi-squared
/// distribution with the same mean and variance has. The correlations follow from the noise type (C. Greenhall and W. Riley, "Uncertainty
/// of Stability Variances Based on Finite Differences", 35th PTTI Meeting, 2003; NIST SP 1065, section 5.4.1). For more than 100
/// correlations, the tables of that paper replace the sum.
struct StabilityConfidence {
  /// The variances, all with overlapping terms.
  enum Variance {
    /// The Allan variance: second differences of the phase.
    case allan
    /// The modified Allan variance: second differences of the mean phase. The time variance is proportional to it.
    case modifiedAllan
    /// The Hadamard variance: third differences of the phase.
    case hadamard

    /// The order of the differences.
    var order: Int { self == .hadamard ? 3 : 2 }
  }

  /// The equivalent degrees of freedom, at least 1.
  let degreesOfFreedom: Double

  /// The largest number of correlations in a sum; Jmax in the paper.
  private static let mostCorrelations = 100

  /// Chooses the smallest degrees of freedom of several noise types, so that the interval is wide enough for each of them.
  ///
  /// - Parameter noises: the types that are possible, at least one.
  init?(_ variance: Variance, noises: [PowerLawNoise], factor: Int, terms: Int) {
    let all = noises.map { StabilityConfidence(variance, noise: $0, factor: factor, terms: terms) }
    guard let smallest = all.min(by: { $0.degreesOfFreedom < $1.degreesOfFreedom }) else { return nil }
    self = smallest
  }

  /// Calculates the degrees of freedom. A series with missing values is treated as an uninterrupted series with the same number of terms.
  ///
  /// - Parameters:
  ///   - variance: the variance.
  ///   - noise: the type of the noise.
  ///   - factor: the observation time, as a number of intervals between adjacent values.
  ///   - terms: the number of terms in the variance, at least 1.
  init(_ variance: Variance = .allan, noise: PowerLawNoise, factor: Int, terms: Int) {
    let inverse = Self.inverse(variance, noise, m: Double(factor), terms: Double(terms))
    degreesOfFreedom = inverse > 0 && inverse.isFinite ? max(1 / inverse, 1) : 1
  }

  /// Returns the confidence interval of the deviation `value`, at the confidence `level` (NIST SP 1065, section 5.3.2).
  func interval(of value: Double, level: Double = 0.95) -> ClosedRange<Double> {
    let distribution = ChiSquared(degrees: degreesOfFreedom)
    let low = value * (degreesOfFreedom / distribution.quantile((1 + level) / 2)).squareRoot()
    let high = value * (degreesOfFreedom / distribution.quantile((1 - level) / 2)).squareRoot()
    return low...max(low, high)
  }

  /// Returns the theoretical ratio of the modified to the unmodified Allan variance. The ratio depends on the noise type, most of all
  /// between the two types of phase noise (NIST SP 1065, section 5.5.5, R(n)). The model averages the phase over each interval, so the ratio
  /// is valid for a `factor` of at least 8.
  static func varianceRatio(_ noise: PowerLawNoise, factor: Int) -> Double {
    covariance(0, steps: 1, noise, order: 2) / covariance(0, steps: Double(factor), noise, order: 2)
  }

  /// Returns the reciprocal of the degrees of freedom. The names are those of the paper: M is the number of terms, S is the number of terms
  /// in an observation time, r is M / S, and J is the number of lags with a correlation.
  private static func inverse(_ variance: Variance, _ noise: PowerLawNoise, m: Double, terms: Double) -> Double {
    let d = variance.order
    let r = terms / m
    let lags = min(terms, Double(d + 1) * m)
    let isModified = variance == .modifiedAllan
    if noise == .whitePhase, !isModified {
      // White noise is uncorrelated, so only terms whose distance is k observation times are correlated. Their correlation is the ratio of
      // two binomial coefficients (section 5 of the paper).
      let binomial = d == 2 ? [6.0, 4, 1] : [20.0, 15, 6, 1]
      let sum = (1...d).reduce(1.0) { sum, k in
        let correlation = binomial[k] / binomial[0]
        return sum + 2 * max(1 - Double(k) / r, 0) * correlation * correlation
      }
      return sum / terms
    }
    // The phase is averaged over an observation time (steps = 1), over an interval of the series (steps = m), or not at all.
    if lags <= Double(mostCorrelations) {
      let isFine = isModified || noise == .flickerPhase || m * Double(d + 1) <= Double(mostCorrelations)
      let steps = isModified ? 1 : isFine ? m : .infinity
      return basicSum(lags: Int(lags), terms: terms, perTime: m, steps: steps, noise, order: d)
    }
    let shape = shape(variance, noise)
    // For flicker phase noise, the variance grows with the logarithm of the factor. The constants are those of table 3.
    let growth = d == 2 ? 15.23 + 12 * log(m) : 47.8 + 40 * log(m)
    let isFlickerPhase = noise == .flickerPhase && !isModified
    if r > Double(d + 1) {
      return (shape.0 - shape.1 / r) / r / (isFlickerPhase ? growth * growth : 1)
    }
    // Nearly all terms are correlated. A series with 100 terms and the same ratio r stands for the series.
    let perTime = Double(mostCorrelations) / r
    let steps = isModified ? 1 : isFlickerPhase ? perTime : .infinity
    let sum = basicSum(
      lags: mostCorrelations, terms: Double(mostCorrelations), perTime: perTime, steps: steps, noise, order: d)
    guard isFlickerPhase else { return sum }
    let scale = covariance(0, steps: steps, noise, order: d) / growth
    return sum * scale * scale
  }

  /// Returns the constants a0 and a1 of tables 1 and 2 of the paper: a0 / r - a1 / r^2 is the reciprocal of the degrees of freedom.
  private static func shape(_ variance: Variance, _ noise: PowerLawNoise) -> (Double, Double) {
    switch (variance, noise) {
    case (.modifiedAllan, .whitePhase): (7.0 / 9, 0.5)
    case (.modifiedAllan, .flickerPhase): (0.997, 0.616)
    case (.modifiedAllan, .whiteFrequency): (1.033, 0.607)
    case (.modifiedAllan, .flickerFrequency): (1.048, 0.534)
    case (.modifiedAllan, .randomWalkFrequency): (1.302, 0.535)
    case (.allan, .whitePhase): (35.0 / 18, 1)
    case (.allan, .flickerPhase): (790, 410)
    case (.allan, .whiteFrequency): (2.0 / 3, 1.0 / 3)
    case (.allan, .flickerFrequency): (0.852, 0.375)
    case (.allan, .randomWalkFrequency): (1.079, 0.368)
    case (.hadamard, .whitePhase): (2.31, 1.5)
    case (.hadamard, .flickerPhase): (9950, 6520)
    case (.hadamard, .whiteFrequency): (7.0 / 9, 0.5)
    case (.hadamard, .flickerFrequency): (0.997, 0.617)
    case (.hadamard, .randomWalkFrequency): (1.033, 0.607)
    }
  }

  /// Returns the mean of the squared correlations of all pairs of terms (equation 10 of the paper).
  private static func basicSum(
    lags: Int, terms: Double, perTime: Double, steps: Double, _ noise: PowerLawNoise, order: Int
  ) -> Double {
    func square(_ lag: Int) -> Double {
      let value = covariance(Double(lag) / perTime, steps: steps, noise, order: order)
      return value * value
    }
    let variance = square(0)
    var sum = variance + (1 - Double(lags) / terms) * square(lags)
    for lag in 1..<max(lags, 1) { sum += 2 * (1 - Double(lag) / terms) * square(lag) }
    return sum / variance / terms
  }

  /// Returns the covariance of two differences of the phase at the distance `t` in observation times, in arbitrary units (s_z in the paper).
  ///
  /// - Parameters:
  ///   - steps: the number of averages of the phase in an observation time (F in the paper); infinity if the phase is not averaged.
  ///   - order: the order of the differences.
  private static func covariance(_ t: Double, steps: Double, _ noise: PowerLawNoise, order: Int) -> Double {
    let binomial = order == 2 ? [6.0, -4, 1] : [20.0, -15, 6, -1]
    func mean(_ t: Double) -> Double { averagedCovariance(t, steps: steps, noise) }
    return (1...order).reduce(binomial[0] * mean(t)) {
      $0 + binomial[$1] * (mean(t - Double($1)) + mean(t + Double($1)))
    }
  }

  /// Returns the generalized covariance of the averaged phase (s_x in the paper).
  private static func averagedCovariance(_ t: Double, steps: Double, _ noise: PowerLawNoise) -> Double {
    guard steps.isFinite else { return integratedCovariance(t, exponent: noise.rawValue + 2) }
    let value = { (t: Double) in integratedCovariance(t, exponent: noise.rawValue) }
    return steps * steps * (2 * value(t) - value(t - 1 / steps) - value(t + 1 / steps))
  }

  /// Returns the generalized covariance of the integral of the phase (s_w in equation 7 of the paper). `exponent` is alpha.
  private static func integratedCovariance(_ t: Double, exponent: Int) -> Double {
    let x = abs(t)
    guard x > 0 else { return 0 }
    let square = x * x
    return switch exponent {
    case 2: -x
    case 1: square * log(x)
    case 0: x * square
    case -1: square * square * log(x)
    default: x * square * square
    }
  }
}

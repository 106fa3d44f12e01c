import Foundation

/// The chi-squared distribution with k degrees of freedom; k need not be an integer.
///
/// The distribution function is the regularised incomplete gamma function P(k/2, x/2). It is calculated by its series below
/// x/2 = k/2 + 1 and by its continued fraction above (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 6.5.29
/// and 6.5.31). The quantile is calculated by Newton's method. A step that leaves the bounds of the solution is replaced by a
/// bisection of the bounds. The relative error of the quantile is below 1e-9.
struct ChiSquared {
  /// The degrees of freedom k, greater than 0.
  let degrees: Double

  /// Returns the probability of a value of at most `x`.
  func probability(below x: Double) -> Double {
    guard x > 0 else { return 0 }
    let (a, z) = (degrees / 2, x / 2)
    let factor = exp(a * log(z) - z - Self.logGamma(a))
    return z < a + 1 ? factor * Self.series(a, z) : 1 - factor * Self.fraction(a, z)
  }

  /// Returns the value that a random value does not exceed with the given probability, which is greater than 0 and less than 1.
  func quantile(_ probability: Double) -> Double {
    var (low, high) = (0.0, degrees + 10)
    while self.probability(below: high) < probability { high = 2 * high }
    var x = degrees
    while high - low > 1e-12 * high {
      let error = self.probability(below: x) - probability
      if error < 0 { low = x } else { high = x }
      let step = error / density(at: x)
      let next = x - step
      if abs(step) < 1e-12 * x { return next }
      // Far from the solution, a step can leave the bounds. If the density is 0, the step is not finite.
      x = next > low && next < high ? next : (low + high) / 2
    }
    return x
  }

  /// Returns the density at `x`, which is greater than 0.
  private func density(at x: Double) -> Double {
    let a = degrees / 2
    return exp((a - 1) * log(x / 2) - x / 2 - Self.logGamma(a)) / 2
  }

  /// Returns the sum of z^n / (a (a + 1) ... (a + n)) over all n from 0.
  private static func series(_ a: Double, _ z: Double) -> Double {
    var term = 1 / a
    var sum = term
    var n = a
    while term > sum * 1e-16 {
      n += 1
      term *= z / n
      sum += term
    }
    return sum
  }

  /// Returns the continued fraction 1 / (z + 1 - a - 1 (1 - a) / (z + 3 - a - ...)), by the method of W. Lentz (1976).
  private static func fraction(_ a: Double, _ z: Double) -> Double {
    let tiny = 1e-300
    var b = z + 1 - a
    var c = 1 / tiny
    var d = 1 / b
    var value = d
    for n in 1...100_000 {
      let step = Double(n) * (a - Double(n))
      b += 2
      d = step * d + b
      if abs(d) < tiny { d = tiny }
      c = b + step / c
      if abs(c) < tiny { c = tiny }
      d = 1 / d
      value *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return value
  }

  /// Returns the logarithm of the gamma function of `a`, which is greater than 0.
  ///
  /// `a` is first shifted to at least 10, and Stirling's series is then used (Abramowitz and Stegun, 6.1.41). `lgamma` of the C
  /// library is not used, because it stores a sign in a global variable. Its reentrant variant has a different name on each
  /// platform.
  static func logGamma(_ a: Double) -> Double {
    var (x, shift) = (a, 0.0)
    while x < 10 {
      shift += log(x)
      x += 1
    }
    let inverse = 1 / (x * x)
    let series = 1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse * (1.0 / 1680 - inverse / 1188)))
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * Double.pi) + series / x - shift
  }
}

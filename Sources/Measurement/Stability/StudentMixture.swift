/// A weighted mean of Student's t distributions with a common number of degrees of freedom and different scales, all centred at 0.
///
/// The distribution function of t is that of a beta distribution (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7.1).
struct StudentMixture {
  /// The parts of the mixture. The weights sum to 1.
  private let parts: [(weight: Double, scale: Double)]
  private let degrees: Double

  init(_ parts: [(weight: Double, scale: Double)], degrees: Double) { (self.parts, self.degrees) = (parts, degrees) }

  /// Returns the half width of the interval about 0 that contains a value with the probability `level`. The relative error is below 1e-9.
  func halfWidth(level: Double) -> Double {
    var (low, high) = (0.0, parts.map(\.scale).max() ?? 0)
    guard high > 0 else { return 0 }
    while probability(within: high) < level { high *= 2 }
    while high - low > 1e-10 * high {
      let middle = (low + high) / 2
      if probability(within: middle) < level { low = middle } else { high = middle }
    }
    return high
  }

  /// Returns the probability of a value between `-width` and `width`.
  private func probability(within width: Double) -> Double {
    parts.reduce(0) { sum, part in
      guard part.weight > 1e-12 else { return sum }
      guard part.scale > 0 else { return sum + part.weight }
      return sum + part.weight * Self.probability(within: width / part.scale, degrees: degrees)
    }
  }

  /// Returns the probability that the magnitude of a t value is below `t`: 1 - I(n / (n + t^2); n / 2, 1 / 2).
  static func probability(within t: Double, degrees n: Double) -> Double {
    1 - BetaDistribution(a: n / 2, b: 0.5).probability(below: n / (n + t * t))
  }
}

import Foundation

/// The circular statistics of asynchronies: each asynchrony is an angle, and one period is a full circle (K. Mardia and P. Jupp,
/// "Directional statistics", Wiley 2000, sections 2.3 and 6.3).
///
/// The mean of the unit vectors in the directions of all angles is a vector. Its direction is the mean direction. Its length, the resultant
/// length, is 1 if all angles are equal, and near 0 if they are spread over the circle. Unlike the asynchrony to the nearest line, the mean
/// direction is correct for a player who plays near the middle between two lines.
public struct CircularFigures: Hashable, Sendable {
  /// The number of angles.
  public let count: Int
  /// The mean direction in degrees, -180...180; positive: late. The interval is nil if the Rayleigh test does not reject uniform angles,
  /// because the direction is then unknown. The ends of an interval can be beyond 180 degrees.
  public let direction: Estimate
  /// The resultant length, 0...1. The interval begins at 0 if the Rayleigh test does not reject uniform angles.
  public let resultant: Estimate
  /// The probability of a resultant length at least this large for independent, uniform angles: the p-value of the Rayleigh test. If
  /// consecutive angles are correlated, the true probability is larger.
  public let rayleigh: Double

  /// The level of the Rayleigh test.
  private static let level = 0.05

  /// Calculates the figures; nil with fewer than ten angles.
  ///
  /// - Parameter angles: the angles in radians, in order of time.
  init?(_ angles: [Double]) {
    guard angles.count >= 10 else { return nil }
    count = angles.count
    let vectors = angles.map { (cos: cos($0), sin: sin($0)) }
    func mean(_ vectors: [(cos: Double, sin: Double)]) -> (cos: Double, sin: Double) {
      let sum = vectors.reduce((0.0, 0.0)) { ($0.0 + $1.cos, $0.1 + $1.sin) }
      return (sum.0 / Double(vectors.count), sum.1 / Double(vectors.count))
    }
    func length(_ vector: (cos: Double, sin: Double)) -> Double { min(hypot(vector.cos, vector.sin), 1) }
    let whole = mean(vectors)
    let (length0, center) = (length(whole), atan2(whole.sin, whole.cos))
    // E. Wilkie, "Rayleigh test for randomness of circular data", Applied Statistics 32 (3), 1983.
    let n = Double(count)
    rayleigh = min(exp((1 + 4 * n + 4 * n * n * (1 - length0 * length0)).squareRoot() - (1 + 2 * n)), 1)
    let isUniform = rayleigh > Self.level
    let lengths = BlockJackknife.estimate(of: vectors, on: .correlation) { length(mean($0)) }
    resultant = Estimate(
      length0, (lengths?.interval).map { (isUniform ? 0 : max($0.lowerBound, 0))...$0.upperBound })
    // Directions are measured from the mean direction of all angles, so that the circle is not cut near them.
    let directions = BlockJackknife.estimate(of: vectors) { part in
      let vector = mean(part)
      return atan2(vector.sin * whole.cos - vector.cos * whole.sin, vector.cos * whole.cos + vector.sin * whole.sin)
    }
    let degrees = 180 / Double.pi
    direction = Estimate(
      center * degrees,
      isUniform
        ? nil
        : (directions?.interval).map { ($0.lowerBound + center) * degrees...($0.upperBound + center) * degrees })
  }

  /// The titles of the columns of ``row``.
  static let columns = ["count", "direction, degrees", "resultant", "Rayleigh p"]

  /// The cells of a row of a ``TextTable``.
  var row: [String] {
    ["\(count)", direction.text(1), resultant.text(4), rayleigh < 1e-4 ? "< 0.0001" : rayleigh.fixed(4)]
  }
}

extension CircularFigures: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "count": count, "mean_direction_deg": direction, "resultant_length": resultant, "rayleigh_p": rayleigh,
    ])
  }
}

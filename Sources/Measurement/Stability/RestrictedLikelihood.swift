import Foundation

/// The restricted likelihood of normally distributed values whose means are a linear model and whose covariance matrix is known except for
/// its scale.
///
/// The restricted likelihood is the likelihood of those combinations of the values that do not depend on the coefficients of the model
/// (H. Patterson and R. Thompson, Biometrika 58 (3), 1971). It therefore takes into account that the fit of a line removes a part of slow
/// noise. With C = L L', L^-1 turns the values into uncorrelated values (``whitened(_:)``).
struct RestrictedLikelihood {
  /// The number of values.
  let count: Int
  /// The number of values minus the number of coefficients, at least 1.
  let degrees: Int
  /// The logarithm of the determinant of C, plus that of X' C^-1 X, where X contains the columns of the model.
  private let logDeterminant: Double
  /// The rows of the lower triangle of L, one after the other.
  private let triangle: [Double]
  /// The orthonormal basis of the model, multiplied by L^-1.
  private let basis: [[Double]]

  /// Factorizes the covariance matrix by the method of Cholesky, and the model by the method of Gram and Schmidt.
  ///
  /// - Parameters:
  ///   - count: the number of values.
  ///   - model: the columns of the model, each with `count` values.
  ///   - covariance: returns an element of the covariance matrix.
  /// - Returns: nil if the matrix is not positive definite, if the columns depend on each other, or if no degree of freedom is left.
  init?(count: Int, model: [[Double]], covariance: (Int, Int) -> Double) {
    guard count > model.count else { return nil }
    var triangle = [Double](repeating: 0, count: count * (count + 1) / 2)
    var logDeterminant = 0.0
    for row in 0..<count {
      let start = row * (row + 1) / 2
      for column in 0...row {
        let other = column * (column + 1) / 2
        var value = covariance(row, column)
        for k in 0..<column { value -= triangle[start + k] * triangle[other + k] }
        if column < row {
          triangle[start + column] = value / triangle[other + column]
        } else {
          guard value > 0 else { return nil }
          triangle[start + column] = value.squareRoot()
          logDeterminant += log(value)
        }
      }
    }
    self.triangle = triangle
    var basis: [[Double]] = []
    for column in model {
      var vector = Self.solve(triangle, column)
      let before = Self.product(vector, vector)
      for direction in basis { Self.remove(direction, from: &vector) }
      let square = Self.product(vector, vector)
      guard square > 1e-18 * before else { return nil }
      logDeterminant += log(square)
      basis.append(vector.map { $0 / square.squareRoot() })
    }
    (self.basis, self.logDeterminant) = (basis, logDeterminant)
    (self.count, degrees) = (count, count - model.count)
  }

  /// Returns the values minus their best fit, as uncorrelated values. Their variance is the scale of the covariance matrix.
  func whitened(_ values: [Double]) -> [Double] {
    var vector = Self.solve(triangle, values)
    for direction in basis { Self.remove(direction, from: &vector) }
    return vector
  }

  /// Returns the logarithm of the likelihood with the most likely scale, except for a constant that depends only on the degrees of freedom.
  ///
  /// - Parameter squares: the sum of the squares of the whitened values, greater than 0.
  func logLikelihood(squares: Double) -> Double { logNormalization - Double(degrees) / 2 * log(squares) }

  /// The part of ``logLikelihood(squares:)`` that does not depend on the values. For several series with one scale, this part is added for
  /// each series, and the squares and the degrees of freedom are summed.
  var logNormalization: Double { -logDeterminant / 2 }

  /// Returns L^-1 times `values`.
  private static func solve(_ triangle: [Double], _ values: [Double]) -> [Double] {
    var solution = values
    for row in values.indices {
      let start = row * (row + 1) / 2
      var value = values[row]
      for k in 0..<row { value -= triangle[start + k] * solution[k] }
      solution[row] = value / triangle[start + row]
    }
    return solution
  }

  private static func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

  private static func remove(_ direction: [Double], from vector: inout [Double]) {
    let part = product(direction, vector)
    for index in vector.indices { vector[index] -= part * direction[index] }
  }
}

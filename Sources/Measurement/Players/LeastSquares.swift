/// A multiple linear regression by least squares, with an intercept. ``PlayersAnalysis`` calculates the correction gains with it.
struct LeastSquares {
  /// The coefficients of the regressors.
  let coefficients: [Double]
  /// The standard errors of the coefficients. They assume that the errors of the observations are independent.
  let standardErrors: [Double]

  /// Fits `value = intercept + sum of (coefficient * regressor)`.
  ///
  /// The result is nil if there are fewer than ten observations for each coefficient (the intercept counts as one), or if the regressors
  /// are linearly dependent.
  ///
  /// - Parameters:
  ///   - rows: the regressors of each observation, the same number in each row.
  ///   - values: the observed values, one for each row.
  init?(_ rows: [[Double]], _ values: [Double]) {
    guard let count = rows.first?.count, rows.count >= 10 * (count + 1) else { return nil }
    let n = Double(rows.count)
    let means = (0..<count).map { index in rows.reduce(0) { $0 + $1[index] } / n }
    let mean = values.reduce(0, +) / n
    // The normal equations for the deviations from the means. The right half of the matrix begins as the identity matrix. The elimination
    // turns it into the inverse of the left half.
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: 2 * count), count: count)
    var vector = [Double](repeating: 0, count: count)
    for (row, value) in zip(rows, values) {
      for a in 0..<count {
        vector[a] += (row[a] - means[a]) * (value - mean)
        for b in 0..<count { matrix[a][b] += (row[a] - means[a]) * (row[b] - means[b]) }
      }
    }
    let scales = (0..<count).map { matrix[$0][$0] }
    for index in 0..<count { matrix[index][count + index] = 1 }
    // Gauss-Jordan elimination with partial pivoting. A pivot that is near 0, compared with the initial diagonal element (`scales`), means
    // that the regressors are linearly dependent.
    for column in 0..<count {
      let pivot = (column..<count).max { abs(matrix[$0][column]) < abs(matrix[$1][column]) }!
      guard abs(matrix[pivot][column]) > 1e-9 * scales[column], scales[column] > 0 else { return nil }
      matrix.swapAt(column, pivot)
      let divisor = matrix[column][column]
      for index in 0..<2 * count { matrix[column][index] /= divisor }
      for row in 0..<count where row != column {
        let factor = matrix[row][column]
        for index in 0..<2 * count { matrix[row][index] -= factor * matrix[column][index] }
      }
    }
    let inverse = matrix.map { Array($0[count...]) }
    let coefficients = (0..<count).map { a in (0..<count).reduce(0) { $0 + inverse[a][$1] * vector[$1] } }
    var squares = 0.0
    for (row, value) in zip(rows, values) {
      let fitted = (0..<count).reduce(mean) { $0 + coefficients[$1] * (row[$1] - means[$1]) }
      squares += (value - fitted) * (value - fitted)
    }
    let variance = squares / (n - Double(count + 1))
    self.coefficients = coefficients
    standardErrors = (0..<count).map { max(inverse[$0][$0] * variance, 0).squareRoot() }
  }
}

/// The correlation of two series of numbers.
enum Correlation {
  /// Returns Pearson's correlation coefficient of pairs of values; nil with fewer than ten pairs, or if one series is constant.
  static func coefficient(_ pairs: [(Double, Double)]) -> Double? {
    guard pairs.count >= 10 else { return nil }
    // A constant series is detected by comparison of its values. Because of rounding, its mean can differ from its values, and its sum of
    // squares can differ from 0.
    let first = pairs[0]
    guard pairs.contains(where: { $0.0 != first.0 }), pairs.contains(where: { $0.1 != first.1 }) else { return nil }
    let count = Double(pairs.count)
    let means = pairs.reduce((0.0, 0.0)) { ($0.0 + $1.0 / count, $0.1 + $1.1 / count) }
    var (xx, yy, xy) = (0.0, 0.0, 0.0)
    for (x, y) in pairs {
      let (dx, dy) = (x - means.0, y - means.1)
      (xx, yy, xy) = (xx + dx * dx, yy + dy * dy, xy + dx * dy)
    }
    guard xx > 0, yy > 0 else { return nil }
    return xy / (xx * yy).squareRoot()
  }
}

import Foundation

/// A regression for intervals with the noise of a timekeeper and of the movement, by bounded generalized least squares (bGLS).
///
/// A player who taps corrects errors, and has two kinds of noise (A. Wing and A. Kristofferson, Perception & Psychophysics 14, 1973). The
/// noise T of the timekeeper changes an interval. The noise M of the movement delays an action, so it lengthens the interval before the
/// action and shortens the interval after it:
///
///     value(k) = level - sum of (gain * regressor(k)) + T(k) + M(k+1) - M(k)
///
/// The noise of consecutive values is therefore correlated: its autocovariance is sT^2 + 2 sM^2 at lag 0, -sM^2 at lag 1, and 0 at other
/// lags. A regressor, such as the asynchrony before the interval, contains M(k) too. Ordinary least squares ignores both and returns gains
/// that are too large. Generalized least squares, with the Cholesky factor of the covariance matrix, has no such bias (N. Jacoby, N.
/// Tishby, B. Repp, M. Ahissar and P. Keller, "Parameter estimation of linear sensorimotor synchronization models", Timing & Time
/// Perception 3, 2015): the decorrelated noise of an interval is independent of everything that happened before.
///
/// Without a bound, large gains with little noise of the movement and small gains with much of it fit the same data nearly equally well
/// (N. Jacoby, P. Keller, B. Repp, M. Ahissar and N. Tishby, "Lower bound on the accuracy of parameter estimation methods", same volume).
/// Following these papers, the noise of the movement is at most as large as that of the timekeeper (``Bound/movementBelowTimekeeper``).
///
/// The papers alternate between the gains and the autocovariance of the residuals. This iteration can end at gains near those of ordinary
/// least squares. Instead, this type maximizes the Gaussian likelihood over the same bounded set. The noise is a moving average
/// `e(k) + theta e(k-1)`. For a given theta the best gains follow from linear equations, so a search over one number suffices. The interval
/// of a figure contains all values whose profile likelihood is high enough (likelihood ratio test, 95 %), and thus includes the
/// uncertainty about the noise.
struct CorrectionFit {
  /// One interval.
  struct Row {
    /// The regressors, the same number in each row.
    var regressors: [Double]
    /// The length of the interval in nanoseconds, minus any constant.
    var value: Double
    /// The number of the constant level of this row, from 0.
    var level = 0
    /// Whether the interval begins with the action with which the interval of the previous row ends.
    var continues: Bool
  }

  /// The range of theta.
  enum Bound {
    /// The noise of the movement is at most as large as that of the timekeeper: -theta / (1 + theta^2) is at most 1/3.
    case movementBelowTimekeeper
    /// The two kinds of noise can have any ratio.
    case none

    fileprivate var least: Double {
      switch self {
      case .movementBelowTimekeeper: (5.0.squareRoot() - 3) / 2
      case .none: -1
      }
    }
  }

  /// The gains of the regressors, without unit.
  let gains: [Estimate]
  /// The standard deviations of the noise of the timekeeper and of the movement, in the unit of the values.
  let timekeeper, movement: Estimate

  /// The 95 % quantile of the chi-squared distribution with one degree of freedom.
  private static let quantile = 3.8415
  /// The square of -3.66, the 2.5 % quantile of the statistic of Dickey and Fuller with a constant and a trend (W. Fuller, "Introduction to
  /// statistical time series", 2nd edition 1996, table 10.A.2).
  private static let unitRootQuantile = 13.396
  /// The number of steps of the search over theta.
  private static let steps = 32

  /// Fits the rows. The result is nil if there are fewer than ten rows for each gain and level, if the regressors are linearly dependent,
  /// or if there is no noise.
  ///
  /// - Parameters:
  ///   - rows: the intervals, in order of time.
  ///   - bound: the permitted ratio of the two kinds of noise.
  ///   - levels: the number of levels.
  ///   - sums: the indices of regressors that are sums of earlier asynchronies. If the gain of such a regressor is 0, the regressor has a
  ///     unit root, and the usual quantile would give a lower end that is too high.
  init?(_ rows: [Row], bound: Bound, levels: Int = 1, sums: Set<Int> = []) {
    guard let count = rows.first?.regressors.count, rows.count >= 10 * (count + levels) else { return nil }
    let data = Columns(rows, gains: count, levels: levels)
    let least = bound.least
    var points: [Point] = []
    for step in 0...Self.steps {
      guard let point = Point(data, theta: least * Double(step) / Double(Self.steps)) else { return nil }
      points.append(point)
    }
    let best = points.indices.max { points[$0].likelihood < points[$1].likelihood }!
    let width = -least / Double(Self.steps)
    let center = points[best].theta
    if let refined = Self.maximum(data, in: max(center - width, least)...min(center + width, 0)),
      refined.likelihood > points[best].likelihood
    {
      points.append(refined)
    }
    let top = points.max { $0.likelihood < $1.likelihood }!
    guard top.squares > 0 else { return nil }
    // The factor corrects the likelihood ratio for the number of fitted values, as Student's t distribution does.
    let free = Double(rows.count) / Double(max(rows.count - count - levels - 1, 1))
    let floor = top.likelihood - Self.quantile / 2 * free
    let unitRootFloor = top.likelihood - Self.unitRootQuantile / 2 * free
    gains = (0..<count).map { index in
      let (low, high) = (
        points.compactMap { $0.gains(index, above: sums.contains(index) ? unitRootFloor : floor)?.lowerBound }.min()!,
        points.compactMap { $0.gains(index, above: floor)?.upperBound }.max()!
      )
      return Estimate(top.gains[index], low...high)
    }
    func deviation(_ share: (Point) -> Double) -> Estimate {
      let ranges = points.compactMap { point in
        point.deviations(above: floor).map { $0.lowerBound * share(point)...$0.upperBound * share(point) }
      }
      return Estimate(
        top.deviation * share(top), ranges.map(\.lowerBound).min()!...ranges.map(\.upperBound).max()!)
    }
    // The autocovariance of `e(k) + theta e(k-1)` at lag 1 is theta s^2 = -sM^2, and at lag 0 (1 + theta^2) s^2 = sT^2 + 2 sM^2.
    timekeeper = deviation { 1 + $0.theta }
    movement = deviation { (-$0.theta).squareRoot() }
  }

  /// Returns the point with the greatest likelihood in a range of theta, by golden section search.
  private static func maximum(_ data: Columns, in range: ClosedRange<Double>) -> Point? {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (range.lowerBound, range.upperBound)
    guard var a = Point(data, theta: high - ratio * (high - low)),
      var b = Point(data, theta: low + ratio * (high - low))
    else { return nil }
    // The range becomes 0.618^12 = 0.3 % of its first width.
    for _ in 0..<12 {
      if a.likelihood > b.likelihood {
        (high, b) = (b.theta, a)
        guard let next = Point(data, theta: high - ratio * (high - low)) else { return a }
        a = next
      } else {
        (low, a) = (a.theta, b)
        guard let next = Point(data, theta: low + ratio * (high - low)) else { return b }
        b = next
      }
    }
    return a.likelihood > b.likelihood ? a : b
  }

  /// The rows as columns: the regressors, the levels, and the value.
  private struct Columns {
    let gains: Int
    let columns: Int
    /// All rows, one after the other. Regressors and values are deviations from their means.
    let cells: [Double]
    let continues: [Bool]

    init(_ rows: [Row], gains: Int, levels: Int) {
      (self.gains, columns) = (gains, gains + levels + 1)
      let n = Double(rows.count)
      // A gain is minus a coefficient of the regression.
      let means = (0..<gains).map { index in rows.reduce(0) { $0 - $1.regressors[index] / n } }
      let mean = rows.reduce(0) { $0 + $1.value / n }
      var cells: [Double] = []
      cells.reserveCapacity(rows.count * columns)
      for row in rows {
        for index in 0..<gains { cells.append(-row.regressors[index] - means[index]) }
        for level in 0..<levels { cells.append(level == row.level ? 1 : 0) }
        cells.append(row.value - mean)
      }
      self.cells = cells
      continues = rows.map(\.continues)
    }
  }

  /// The best fit for one value of theta.
  private struct Point {
    let theta: Double
    /// The gains; and the diagonal of the inverse of the normal matrix, by which the square of the distance from the best gain is
    /// divided.
    let gains, inverse: [Double]
    /// The sum of the squares of the decorrelated residuals.
    let squares: Double
    /// The logarithm of the determinant of the covariance matrix for noise of unit size.
    let determinant: Double
    let rows: Double

    /// The logarithm of the likelihood at its maximum, without constants.
    let likelihood: Double
    /// The standard deviation of e(k).
    var deviation: Double { (squares / rows).squareRoot() }

    init?(_ data: Columns, theta: Double) {
      let (count, n) = (data.columns, data.continues.count)
      var normal = [Double](repeating: 0, count: count * count)
      var innovation = [Double](repeating: 0, count: count)
      var (variance, determinant) = (1.0, 0.0)
      // The Cholesky factor of the covariance matrix of a moving average has two diagonals, so each row depends on the previous row only.
      for row in 0..<n {
        let isFirst = row == 0 || !data.continues[row]
        let share = isFirst ? 0 : theta / variance
        variance = 1 + theta * theta - share * theta
        determinant += log(variance)
        for a in 0..<count { innovation[a] = data.cells[row * count + a] - share * innovation[a] }
        for a in 0..<count {
          let scaled = innovation[a] / variance
          for b in 0...a { normal[a * count + b] += scaled * innovation[b] }
        }
      }
      guard let solved = Self.solve(&normal, count, gains: data.gains) else { return nil }
      (self.theta, self.determinant, rows) = (theta, determinant, Double(n))
      (gains, inverse, squares) = (solved.gains, solved.inverse, solved.squares)
      likelihood = -rows / 2 * log(max(squares, .leastNormalMagnitude) / rows) - determinant / 2
    }

    /// Solves the normal equations by the sweep operator (J. Goodnight, "A tutorial on the SWEEP operator", The American Statistician
    /// 33 (3), 1979). The last column is the value.
    ///
    /// - Returns: nil if the regressors are linearly dependent.
    private static func solve(
      _ matrix: inout [Double], _ count: Int, gains: Int
    ) -> (gains: [Double], inverse: [Double], squares: Double)? {
      for a in 0..<count { for b in 0..<a { matrix[b * count + a] = matrix[a * count + b] } }
      let scales = (0..<count).map { matrix[$0 * count + $0] }
      for k in 0..<count - 1 {
        let pivot = matrix[k * count + k]
        guard scales[k] > 0, pivot > 1e-10 * scales[k] else { return nil }
        for a in 0..<count where a != k {
          let factor = matrix[a * count + k] / pivot
          for b in 0..<count where b != k { matrix[a * count + b] -= factor * matrix[k * count + b] }
        }
        for a in 0..<count where a != k {
          matrix[a * count + k] /= -pivot
          matrix[k * count + a] /= pivot
        }
        matrix[k * count + k] = 1 / pivot
      }
      let last = count - 1
      return (
        (0..<gains).map { matrix[$0 * count + last] }, (0..<gains).map { matrix[$0 * count + $0] },
        max(matrix[last * count + last], 0)
      )
    }

    /// Returns the values of a gain for which the likelihood, maximized over everything but theta, is at least `floor`.
    func gains(_ index: Int, above floor: Double) -> ClosedRange<Double>? {
      let limit = rows * exp((-determinant / 2 - floor) * 2 / rows) - squares
      guard limit >= 0 else { return nil }
      let half = (limit * inverse[index]).squareRoot()
      return gains[index] - half...gains[index] + half
    }

    /// Returns the values of ``deviation`` for which the likelihood, maximized over the gains, is at least `floor`.
    func deviations(above floor: Double) -> ClosedRange<Double>? {
      guard likelihood >= floor, squares > 0 else { return nil }
      // With u = log(s^2 rows / squares), the logarithm of the likelihood is `likelihood - rows / 2 (u + exp(-u) - 1)`.
      let limit = 2 * (likelihood - floor) / rows
      func root(_ sign: Double) -> Double {
        var (inner, outer) = (0.0, sign)
        while outer + exp(-outer) - 1 < limit { outer *= 2 }
        for _ in 0..<60 {
          let middle = (inner + outer) / 2
          if middle + exp(-middle) - 1 < limit { inner = middle } else { outer = middle }
        }
        return outer
      }
      return deviation * exp(root(-1) / 2)...deviation * exp(root(1) / 2)
    }
  }
}

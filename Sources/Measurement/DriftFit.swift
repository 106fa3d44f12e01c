import MusicalTime

/// A least-squares line through time differences. Its slope is the drift of one clock or timeline relative to another.
///
/// The points can be in groups. All groups have the same slope, but each group has its own intercept, as in the analysis of
/// covariance. Therefore a constant difference between two groups does not change the slope.
///
/// Means and moments are updated point by point (B. P. Welford, Technometrics 4 (3), 1962). All values are relative to
/// the first point, so that nanosecond resolution does not depend on the age of the clocks.
struct DriftFit {
  /// The first point. `difference` is in nanoseconds. All x and y are relative to this point: x is an instant in seconds, y is a
  /// difference in microseconds.
  private var first: (at: Instant, difference: Double)?
  /// The number of points in the current group.
  private var count = 0.0
  /// The means of the points in the current group.
  private var mean = (x: 0.0, y: 0.0)
  /// The number of points of the earlier groups minus the number of these groups.
  private var earlierDegrees = 0.0
  /// The sums of x * x, x * y and y * y over all points, where x and y are relative to the means of their group.
  private var moment = (xx: 0.0, xy: 0.0, yy: 0.0)

  /// Begins a new group. The next points belong to it.
  mutating func beginGroup() {
    earlierDegrees += max(count - 1, 0)
    (count, mean) = (0, (0, 0))
  }

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - difference: the time difference in nanoseconds.
  ///   - at: the instant of the difference by the reference clock.
  mutating func append(_ difference: Double, at: Instant) {
    let first = first ?? (at, difference)
    self.first = first
    let (x, y) = ((at - first.at).seconds, (difference - first.difference) / 1e3)
    count += 1
    let (dx, dy) = (x - mean.x, y - mean.y)
    mean.x += dx / count
    mean.y += dy / count
    moment.xx += dx * (x - mean.x)
    moment.xy += dx * (y - mean.y)
    moment.yy += dy * (y - mean.y)
  }

  /// The slope in parts per million, which are microseconds per second; nil if no group has points at different instants.
  var partsPerMillion: Double? { moment.xx > 0 ? moment.xy / moment.xx : nil }

  /// The standard error of the slope in parts per million, if the deviations from the line are independent. Nil if no degree of
  /// freedom is left, for example with fewer than three points in a single group.
  var standardError: Double? {
    // The degrees of freedom: the number of points, minus one for the intercept of each group, minus one for the slope.
    let degrees = earlierDegrees + max(count - 1, 0) - 1
    guard degrees > 0, moment.xx > 0 else { return nil }
    let squares = max(moment.yy - moment.xy * moment.xy / moment.xx, 0)
    return (squares / degrees / moment.xx).squareRoot()
  }

  /// Returns the value of the line of the current group at an instant, in nanoseconds. If ``partsPerMillion`` is nil, the line is
  /// level. The current group must contain a point. Returns nil if no group contains a point.
  func value(at instant: Instant) -> Double? {
    guard let first else { return nil }
    let x = (instant - first.at).seconds
    return first.difference + (mean.y + (partsPerMillion ?? 0) * (x - mean.x)) * 1e3
  }
}

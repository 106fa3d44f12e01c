import MusicalTime

/// A least-squares line through time differences. Its slope is the drift of one clock or timeline relative to another.
///
/// Means and moments are updated point by point (B. P. Welford, Technometrics 4 (3), 1962). All values are relative to
/// the first point, so that nanosecond resolution does not depend on the age of the clocks.
struct DriftFit {
  /// The first point, to which x and y are relative. x is an instant in seconds, y a difference in microseconds.
  private var first: (at: Instant, difference: Nanoseconds)?
  private var count = 0.0
  private var mean = (x: 0.0, y: 0.0)
  /// The sums of the squares of x and of the products of x and y, relative to the means.
  private var moment = (xx: 0.0, xy: 0.0)

  /// Adds the point (`at`, `difference`), where `at` is an instant of the reference.
  mutating func append(_ difference: Nanoseconds, at: Instant) {
    let first = first ?? (at, difference)
    self.first = first
    let (x, y) = ((at - first.at).seconds, (difference - first.difference).microseconds)
    count += 1
    let deviation = x - mean.x
    mean.x += deviation / count
    mean.y += (y - mean.y) / count
    moment.xx += deviation * (x - mean.x)
    moment.xy += deviation * (y - mean.y)
  }

  /// The slope in parts per million, which are microseconds per second; nil if all points have the same instant.
  var partsPerMillion: Double? { moment.xx > 0 ? moment.xy / moment.xx : nil }
}

extension Double? {
  /// The number as text with two decimal places, or a dash if there is none.
  var twoDecimals: String {
    guard let self, let hundredths = Int64(exactly: (self.magnitude * 100).rounded()) else { return "-" }
    let rest = hundredths % 100
    return "\(self < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

import MusicalTime

/// A straight line through differences of time, by least squares: its slope is the drift of one clock or timeline
/// against another. Means and moments are updated point by point (B. P. Welford, Technometrics 4 (3), 1962), relative
/// to the first point, so that nothing of a nanosecond is lost however long the clocks have run.
struct DriftLine {
  private var first: (at: Instant, difference: Nanoseconds)?
  private var count = 0.0
  private var mean = (x: 0.0, y: 0.0)
  private var moment = (xx: 0.0, xy: 0.0)

  /// Takes in that the difference was `difference` at the moment `at` of the reference.
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

  /// The slope in parts per million; nil when all points lie at one moment.
  var partsPerMillion: Double? { moment.xx > 0 ? moment.xy / moment.xx : nil }
}

extension Double? {
  /// Parts per million with two decimal places, or a dash.
  var hundredths: String {
    guard let self, let hundredths = Int64(exactly: (self.magnitude * 100).rounded()) else { return "-" }
    let rest = hundredths % 100
    return "\(self < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

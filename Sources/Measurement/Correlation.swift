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

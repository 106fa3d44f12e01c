/// The ideal distance from a note to the next one.
///
/// Distances grow with the logarithm of the duration, not with the duration itself (Gould, Behind Bars, chapter 2; Ross, The Art of Music
/// Engraving, chapter 2). The usual shortest note of the part has 2.4 staff spaces, and each doubling adds 1.2. Shorter notes get less,
/// in proportion to their durations.
struct DurationScale {
  /// The usual shortest duration in ticks.
  let shortest: Double

  private static let increment = 1.2

  func width(_ ticks: Double) -> Double {
    guard ticks > 0, shortest > 0 else { return Self.increment }
    let ratio = ticks / shortest
    if ratio < 1 { return Self.increment * (1 + ratio) }
    return Self.increment * (2 + Self.log2(ratio))
  }

  /// The distance of a column that lasts `elapsed` while notes of `sounding` ticks or longer sound.
  ///
  /// If a longer note sounds on, the distance is a part of the distance of the shortest one that sounds there (Gourlay 1987).
  func width(elapsed: Double, sounding: Double) -> Double {
    guard sounding > elapsed, sounding > 0 else { return width(elapsed) }
    return max(width(sounding) * elapsed / sounding, Self.increment)
  }

  /// The binary logarithm of a positive number, by the series of the inverse hyperbolic tangent; exact to five digits.
  static func log2(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 0 }
    let t = (value.significand - 1) / (value.significand + 1)
    let square = t * t
    let series = t * (1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9.0))))
    return Double(value.exponent) + series * 2.885_390_081_777_927
  }
}

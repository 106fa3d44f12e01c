/// A histogram of ``DelayDensity``, smoothed by three moving averages. Together they are nearly a normal kernel.
///
/// The averages are computed in place, with one running sum each. A bin leaves the sum of an average over 2r + 1 bins r + 1 bins after its
/// own average was computed. The averages are therefore stored r + 1 places before their bins, where the bin has just left the sum. The type
/// cannot be copied, because a copy takes longer than the computation of an average.
struct SmoothedHistogram: ~Copyable {
  static let binCount = DelayDensity.binCount

  /// The smoothed bins, from index 1. Before the first bin and after the last one is a zero. The array has room for the largest radius, 4:
  /// 1 + 3 * 5 places before ``binCount`` counts, and 4 after them.
  private(set) var values = InlineArray<148, Double>(repeating: 0)

  /// Replaces the contents by smoothed `counts`.
  ///
  /// - Parameters:
  ///   - counts: a histogram of ``binCount`` bins.
  ///   - radius: the averages extend over 2 * radius + 1 bins, 1...4.
  ///   - end: the number of bins that are needed, 1...``binCount``. The later ones are undefined.
  mutating func smooth(_ counts: [Double], radius: Int, end: Int) {
    let counts = counts.span
    var values = values.mutableSpan
    let shift = radius + 1
    var first = 1 + 3 * shift
    for n in 0..<first { values[n] = 0 }
    // The first average needs the bins that the last average before `end` depends on.
    var last = min(end + 3 * radius, Self.binCount)
    for n in 0..<last { values[first + n] = counts[n] }
    for n in first + last..<first + last + radius { values[n] = 0 }
    let length = Double(2 * radius + 1)
    for remaining in stride(from: 2, through: 0, by: -1) {
      var sum = 0.0
      for n in first..<first + radius { sum += values[n] }
      first -= shift
      last = min(end + remaining * radius, Self.binCount)
      for n in first..<first + last {
        sum += values[n + shift + radius]
        sum -= values[n]
        values[n] = sum / length
      }
      for n in first + last..<first + last + radius { values[n] = 0 }
    }
  }
}

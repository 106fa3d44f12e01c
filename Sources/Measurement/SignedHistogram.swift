import Histogram
import MusicalTime

/// A histogram of positive and negative durations. Its memory does not depend on the number of values.
///
/// HDR Histogram (G. Tene, hdrhistogram.org) does not accept negative values. Therefore there are two histograms: one
/// of the magnitudes of negative values, one of the other values. In ascending order, the values are those of the first
/// histogram from the largest magnitude to the smallest, and then those of the second histogram. Both histograms have three
/// significant digits: a percentile is at most 0.1 % too far from zero, and exact below 2048 ns. Count, minimum, maximum and
/// sum are kept separately and are exact.
///
/// Real-time: not safe.
public struct SignedHistogram: Sendable {
  private var negative = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  private var positive = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  private var sum: Int128 = 0
  private var least = Int64.max
  private var greatest = Int64.min

  /// The number of durations recorded.
  public private(set) var count = 0

  /// The largest magnitude of a value: 2^62 ns, or 146 years. Larger values are clamped.
  private static let limit: Int64 = 1 << 62

  /// Creates an empty histogram.
  ///
  /// Real-time: not safe.
  public init() {}

  /// Adds a duration.
  ///
  /// Real-time: not safe.
  public mutating func record(_ length: Nanoseconds) {
    let value = min(max(length.count, -Self.limit), Self.limit)
    if value < 0 { negative.record(value.magnitude) } else { positive.record(value.magnitude) }
    sum += Int128(value)
    least = min(least, value)
    greatest = max(greatest, value)
    count += 1
  }

  /// The smallest duration; zero if the histogram is empty.
  public var minimum: Nanoseconds { Nanoseconds(count == 0 ? 0 : least) }
  /// The largest duration; zero if the histogram is empty.
  public var maximum: Nanoseconds { Nanoseconds(count == 0 ? 0 : greatest) }
  /// The mean in nanoseconds; zero if the histogram is empty.
  public var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

  /// Returns a percentile by the nearest-rank method, with an error of at most 0.1 %; zero if the histogram is empty.
  ///
  /// - Parameter share: the percentile as a fraction, 0...1; 0.5 is the median.
  ///
  /// Real-time: not safe.
  public func percentile(_ share: Double) -> Nanoseconds {
    guard count > 0 else { return .zero }
    let below = Int(negative.totalCount)
    // The product of `share` and `count` can be rounded to slightly more than a whole number, which would give the next rank.
    // `nextDown` prevents this.
    let rank = min(max(Int((share.nextDown * Double(count)).rounded(.up)), 1), count)
    let value =
      rank <= below
      ? -Self.value(ofRank: below - rank + 1, in: negative)
      : Self.value(ofRank: rank - below, in: positive)
    return Nanoseconds(min(max(value, least), greatest))
  }

  /// Returns the value with the given rank, counted from 1, in the order of increasing values.
  ///
  /// The function does not use the iterators of the library, because they sum count times value in a `UInt64`. This sum overflows
  /// for long recordings of clocks that differ by a day. `valueAtPercentile` sums counts only. `valueAtPercentile` rounds up to a
  /// rank, so half a rank is subtracted to obtain exactly `rank`.
  private static func value(ofRank rank: Int, in histogram: Histogram<UInt64>) -> Int64 {
    Int64(clamping: histogram.valueAtPercentile((Double(rank) - 0.5) / Double(histogram.totalCount) * 100))
  }
}

import Histogram
import MusicalTime

/// A distribution of lengths of time that may be negative, in little memory however many there are.
///
/// An HDR Histogram (G. Tene, hdrhistogram.org) takes no negative values, so there are two: one of the magnitudes below
/// zero, one of the rest; a rank counts through the first downwards, then through the second upwards. Both keep three
/// significant digits: a percentile is off by 0.1 % of itself at most, away from zero, and exact below 2048 ns. Count,
/// minimum, maximum and mean are kept beside them and exact to the nanosecond.
public struct SignedHistogram: Sendable {
  private var negative = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  private var positive = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  private var sum: Int128 = 0
  private var least = Int64.max
  private var greatest = Int64.min

  /// Lengths recorded.
  public private(set) var count = 0

  /// The longest length told apart, 2^62 ns or 146 years; longer ones count as that.
  private static let limit: Int64 = 1 << 62

  /// An empty distribution.
  ///
  /// Real-time: not safe.
  public init() {}

  /// Takes `length` in.
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

  /// The least length, or zero when there is none.
  public var minimum: Nanoseconds { Nanoseconds(count == 0 ? 0 : least) }
  /// The greatest length, or zero when there is none.
  public var maximum: Nanoseconds { Nanoseconds(count == 0 ? 0 : greatest) }
  /// The mean, rounded toward zero; zero when there is none.
  public var mean: Nanoseconds { Nanoseconds(count == 0 ? 0 : Int64(sum / Int128(count))) }

  /// The least length that at least `share` of all do not exceed (the nearest rank), within 0.1 %; zero when there is
  /// none.
  ///
  /// - Parameter share: 0...1; 0.5 is the median.
  ///
  /// Real-time: not safe.
  public func percentile(_ share: Double) -> Nanoseconds {
    guard count > 0 else { return .zero }
    let below = Int(negative.totalCount)
    // A hair less, so that 0.999 of 1000 is rank 999 although 0.999 has no exact binary form.
    let rank = min(max(Int((share.nextDown * Double(count)).rounded(.up)), 1), count)
    let value =
      rank <= below
      ? -Self.value(ofRank: below - rank + 1, in: negative)
      : Self.value(ofRank: rank - below, in: positive)
    return Nanoseconds(min(max(value, least), greatest))
  }

  private static func value(ofRank rank: Int, in histogram: Histogram<UInt64>) -> Int64 {
    var seen: UInt64 = 0
    for bucket in histogram.recordedValues() {
      seen += bucket.count
      if seen >= rank { return Int64(clamping: histogram.highestEquivalentForValue(bucket.value)) }
    }
    return Int64(clamping: histogram.maxRecorded)
  }
}

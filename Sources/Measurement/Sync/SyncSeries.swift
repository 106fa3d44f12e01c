/// The offsets of one peer, reduced to the data of a plot (``SyncPlot``).
struct SyncSeries: Sendable {
  /// The smallest and the largest offset in each interval of time, in nanoseconds; nil for an interval without a tick. The
  /// intervals divide the time span of the reference into equal parts. Extremes are stored instead of means, so that no peak is
  /// lost.
  private(set) var extremes: [ClosedRange<Double>?]
  /// The number of offsets in each of ``bins`` equal intervals from the smallest to the largest offset.
  private(set) var counts: [Int] = []
  /// The smallest offset and the width of a bin, nanoseconds.
  private(set) var (lowest, width) = (0.0, 1.0)

  /// The largest number of intervals of time.
  private static let columns = 1000
  /// The number of bins of the histogram.
  static let bins = 100

  /// Creates a series for a reference with `ticks` ticks. An interval of time contains two ticks or more on average, so that the
  /// curve has no gaps.
  init(ticks: Int) {
    extremes = [ClosedRange<Double>?](repeating: nil, count: min(max(ticks / 2, 1), Self.columns))
  }

  /// Adds an offset at `position`: 0 is the first tick of the reference, and 1 is the last tick.
  mutating func add(_ offset: Double, at position: Double) {
    // The due instants of the reference can decrease from one run to the next, so `position` can be outside 0...1.
    let column = min(Int(min(max(position, 0), 1) * Double(extremes.count)), extremes.count - 1)
    guard let range = extremes[column] else {
      extremes[column] = offset...offset
      return
    }
    if !range.contains(offset) { extremes[column] = min(range.lowerBound, offset)...max(range.upperBound, offset) }
  }

  /// Counts all offsets of the peer, in nanoseconds, in the bins of the histogram.
  mutating func count(_ offsets: [Double]) {
    guard let low = offsets.min(), let high = offsets.max() else { return }
    (lowest, width) = (low, max((high - low) / Double(Self.bins), 1))
    counts = [Int](repeating: 0, count: Self.bins)
    for offset in offsets { counts[min(Int((offset - low) / width), Self.bins - 1)] += 1 }
  }
}

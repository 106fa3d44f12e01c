/// The offsets of one peer, reduced to the data of a plot (``SyncAnalysis/plot(file:format:)``).
struct SyncSeries: Sendable {
  /// The smallest and the largest offset in each interval of time, in nanoseconds; nil for an interval without a tick. The
  /// intervals divide the time span of the reference into equal parts. Extremes are stored instead of means, so that no peak is
  /// lost.
  private(set) var extremes: [ClosedRange<Double>?]
  /// The lines of the histogram of the offsets.
  private(set) var histogram: [String] = []

  /// The largest number of intervals of time.
  private static let columns = 1000

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

  /// Calculates the histogram of all offsets of the peer, in nanoseconds.
  mutating func count(_ offsets: [Double]) {
    guard let low = offsets.min(), let high = offsets.max() else { return }
    histogram = Gnuplot.histogram(offsets, in: low...high)
  }

  /// One line for each interval of time: the middle of the interval in seconds, and the smallest and the largest offset in microseconds.
  /// An interval without a tick gives an empty line, which interrupts the curve.
  ///
  /// - Parameter seconds: the time span of the reference.
  func lines(seconds: Double) -> [String] {
    extremes.enumerated().map { column, range in
      guard let range else { return "" }
      let time = (Double(column) + 0.5) * seconds / Double(extremes.count)
      return "\(time) \(range.lowerBound / 1e3) \(range.upperBound / 1e3)"
    }
  }
}

import MusicalTime

/// Collects the offsets of one peer in the order of the reference's ticks, together with the runs and the intervals of time to
/// which the offsets belong.
struct SyncOffsets {
  /// All offsets, in nanoseconds.
  private(set) var offsets: [Double] = []
  /// The slope of the offsets within the runs.
  private(set) var fit = DriftFit()
  /// The number of ticks of the reference that are missing between two common ticks of a run.
  private(set) var skipped = 0
  /// The data of the plot.
  var series: SyncSeries

  /// The due instants of the first and of the last tick of the reference, nanoseconds.
  private let span: ClosedRange<Int64>
  /// The length of an interval of time, nanoseconds.
  private let length: Double
  /// The index of the first offset of each run.
  private var runs: [Int] = []
  /// The index, in the reference, of the tick with the newest offset; nil at the beginning of a run.
  private var lastIndex: Int?
  /// The parts of ``offsets``: a part consists of consecutive offsets in the same interval of time. For each part, the number of the
  /// interval, and the index of the first offset.
  private var parts: [(interval: Int, start: Int)] = []

  init(span: ClosedRange<Int64>, referenceTicks: Int, capacity: Int) {
    (self.span, series) = (span, SyncSeries(ticks: referenceTicks))
    length = SyncInterval.length(dividing: Double(span.upperBound - span.lowerBound) / 1e9) * 1e9
    offsets.reserveCapacity(capacity)
  }

  mutating func beginRun() {
    runs.append(offsets.count)
    lastIndex = nil
    fit.beginGroup()
  }

  /// Adds an offset.
  ///
  /// - Parameters:
  ///   - offset: the offset, nanoseconds.
  ///   - index: the index of the tick in the reference.
  ///   - due: the due instant of the tick in the reference, nanoseconds.
  mutating func add(_ offset: Int64, index: Int, due: Int64) {
    if let lastIndex { skipped += index - lastIndex - 1 }
    lastIndex = index
    fit.append(Double(offset), at: Instant(nanoseconds: due))
    let time = Double(due - span.lowerBound)
    // The due instants of the reference can decrease from one run to the next, so an instant can be outside `span`. An instant before
    // the first interval counts in the first interval. An instant after the tenth interval counts in the tenth interval.
    let interval = min(max(Int(time / length), 0), 9)
    if parts.last?.interval != interval { parts.append((interval, offsets.count)) }
    series.add(Double(offset), at: time / Double(max(span.upperBound - span.lowerBound, 1)))
    offsets.append(Double(offset))
  }

  /// Returns all offsets and removes them, so that the caller can change them without a copy.
  mutating func takeOffsets() -> [Double] {
    defer { offsets = [] }
    return offsets
  }

  /// The figures of each interval of time that contains an offset.
  var overTime: [SyncInterval] {
    let ends = parts.dropFirst().map(\.start) + [offsets.count]
    let ranges = Dictionary(grouping: zip(parts, ends), by: \.0.interval)
    return ranges.keys.sorted().compactMap { interval in
      let values = ranges[interval, default: []].flatMap { offsets[$0.0.start..<$0.1] }
      guard let magnitude = Distribution(values.map { abs($0) }) else { return nil }
      let start = Double(interval) * length / 1e9
      return SyncInterval(
        start: start, end: start + length / 1e9, mean: values.reduce(0, +) / Double(values.count) / 1e3,
        magnitude: magnitude)
    }
  }

  /// The figures of the runs with at least ``SyncRuns/fewestTicks`` common ticks; nil without such a run. Also nil if there is only one
  /// run: its figures are those of all offsets, and a copy of the offsets would take 8 more octets per tick.
  var perRun: SyncRuns? {
    guard runs.count > 1 else { return nil }
    let ends = runs.dropFirst() + [offsets.count]
    return SyncRuns(
      zip(runs, ends).compactMap { start, end in
        end - start < SyncRuns.fewestTicks ? nil : Distribution(offsets[start..<end].map { abs($0) })
      })
  }
}

/// The offsets of one peer, reduced to the data of a plot (``SyncAnalysis/plot(_:)``).
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
    let robust = RobustRange(extremes.flatMap { [$0?.lowerBound, $0?.upperBound].compactMap(\.self) })
    histogram = Gnuplot.histogram(offsets, in: robust?.range ?? low...high)
  }

  /// One line for each interval of time: the middle of the interval in seconds, and the smallest and the largest offset in microseconds.
  /// An interval without a tick gives an empty line, which interrupts the curve.
  ///
  /// - Parameter seconds: the time span of the reference.
  func lines(seconds: Double) -> [String] {
    extremes.enumerated().map { column, range in
      range.map { "\(time(of: column, seconds)) \($0.lowerBound / 1e3) \($0.upperBound / 1e3)" } ?? ""
    }
  }

  /// The extremes as points: the time in seconds, and the offset in microseconds.
  func points(seconds: Double) -> [(x: Double, y: Double)] {
    extremes.enumerated().flatMap { column, range in
      [range?.lowerBound, range?.upperBound].compactMap { $0 }.map { (time(of: column, seconds), $0 / 1e3) }
    }
  }

  /// The middle of an interval in seconds. `seconds` is the time span of the reference.
  private func time(of column: Int, _ seconds: Double) -> Double {
    (Double(column) + 0.5) * seconds / Double(extremes.count)
  }
}

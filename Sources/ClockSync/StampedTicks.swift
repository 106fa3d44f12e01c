public import MusicalTime

/// Finds the tempo and the phase of a clock whose ticks carry time stamps, and decides whether these stamps are useful.
///
/// A stamp is the due time of its tick by the sender's clock, rounded down to a multiple of 100 us. The network does not
/// change it. A least-squares regression through the newest ``depth`` stamps averages the rounding, and the estimate of
/// the sender's clock (``ClockEstimate``) converts the regression to local time.
///
/// But some senders use the stamps differently: the send time, zero, or a clock with another rate or origin. Therefore
/// a second regression is fitted to the arrivals. The stamps are trusted while three conditions hold:
///
/// - The stamps scatter around their regression less than half as much as the arrivals around theirs. Once the stamps are
///   trusted, it suffices that they scatter less than the arrivals.
/// - Both lines have nearly the same rate.
/// - The arrivals are at most a quarter of a second after and at most one second before their stamps. Both limits are
///   extended by the uncertainty of the clock estimate.
///
/// Stamps are *exact* if only the rounding separates them from a line. A change of tempo then shows in the first tick: the window is
/// reduced to the newest ticks that still lie on one line. The regression through few exact stamps is more accurate than arrivals, which
/// need a new window. For four quarter notes after such a change, exact stamps are therefore trusted if the second and the third condition
/// held before it, even if they scatter more than the arrivals. A stamp that deviates although its tick has arrived when it was expected is
/// not a change of tempo, and is left out.
public struct StampedTicks: Sendable {
  /// The length of the window in ticks: two quarter notes.
  public static let depth = 48
  /// The least number of ticks in the window with which the stamps can be trusted.
  public static let judgingCount = 12
  /// The resolution of the stamps: the sender rounds them down to multiples of this duration.
  static let unit = Nanoseconds.microseconds(100)
  /// The least number of ticks in the window with which a change of tempo can be detected.
  private static let minimumRegressionCount = 6
  /// The largest time by which a tick can arrive after its stamp.
  static let maximumLateness = Nanoseconds.milliseconds(250)
  /// The largest time by which a tick can arrive before its stamp, as a negative lateness.
  static let minimumLateness = Nanoseconds.seconds(-1)

  /// One tick with its two times.
  struct Point {
    var tick = Tick(0)
    /// The stamp, by the sender's clock, plus half a ``unit`` for the rounding.
    var stamp = Instant(nanoseconds: 0)
    /// The arrival, local time.
    var arrival = Instant(nanoseconds: 0)
  }

  /// The newest ``count`` ticks, oldest first.
  private var points = InlineArray<48, Point>(repeating: Point())
  /// The number of ticks in the window, at most ``depth``.
  public private(set) var count = 0
  /// The number of consecutive stamps that deviate from the regression.
  private var outliers = 0
  /// Whether only the rounding separates the stamps from a line, except at changes of tempo.
  private var isExact = false
  /// Whether the second and the third condition held when the window last had ``judgingCount`` ticks.
  private var isPlausible = false
  /// The number of ticks since a change of tempo reduced the window of exact stamps.
  private var ticksSinceChange = Int.max
  /// The regression through the stamps, in local time; nil before the second tick, and while the slope is not a valid
  /// tempo.
  public private(set) var timeline: Timeline?
  /// Whether the stamps are trusted: the window has at least ``judgingCount`` ticks, ``timeline`` is not nil, and
  /// the three conditions of ``StampedTicks`` hold.
  public private(set) var isTrusted = false
  private var regression: Regression?
  /// The regression through the arrivals.
  private var arrivals: Regression?

  public init() {}

  /// Discards all ticks.
  ///
  /// Real-time: not safe.
  public mutating func reset() {
    (count, outliers, ticksSinceChange) = (0, 0, .max)
    (timeline, regression) = (nil, nil)
    (isTrusted, isExact, isPlausible) = (false, false, false)
  }

  /// Adds a tick. The window restarts with this tick in three cases:
  ///
  /// - Its number is not higher than the previous number, or higher by more than 1000.
  /// - Its stamp is not later than the previous stamp, or later by more than ``TickFollower/maximumGap``.
  /// - Its arrival is earlier than the previous arrival, or later by more than ``TickFollower/maximumGap``.
  ///
  /// - Parameters:
  ///   - tick: the number of the tick.
  ///   - stamp: its time stamp, by the sender's clock.
  ///   - arrival: its arrival, local time.
  ///   - clock: the estimate of the sender's clock.
  ///
  /// Real-time: not safe.
  public mutating func add(_ tick: Tick, stamped stamp: Instant, at arrival: Instant, by clock: ClockEstimate) {
    // The sender rounds the stamp down: the middle of the unit is the best estimate.
    let point = Point(tick: tick, stamp: stamp + Nanoseconds(Self.unit.count / 2), arrival: arrival)
    if count > 0 {
      let newest = points[count - 1]
      let validGaps = Nanoseconds.zero...TickFollower.maximumGap
      if !(1...1000).contains(tick - newest.tick) || point.stamp == newest.stamp
        || !validGaps.contains(point.stamp - newest.stamp) || !validGaps.contains(arrival - newest.arrival)
      {
        reset()
      }
    }
    if ticksSinceChange < Int.max { ticksSinceChange += 1 }
    if isExact, isOutlier(point) { return }
    if !isExact, let regression, count >= Self.minimumRegressionCount { detectTempoChange(point, by: regression) }
    if count == Self.depth { keep(newest: Self.depth - 1) }
    points[count] = point
    count += 1
    if isExact { keepLine() }
    update(by: clock)
  }

  /// Returns the number of intervals from the newest tick to a stamp; nil if it is not near a whole number, or if the stamps in the window are
  /// not precise. Unlike ``isTrusted``, the result does not depend on the arrivals.
  ///
  /// Real-time: not safe.
  public func intervals(to stamp: Instant) -> Int64? {
    guard let regression, timeline != nil, count >= Self.judgingCount,
      regression.spread <= 1.5 * Double(Self.unit.count)
    else { return nil }
    let gap = stamp + Nanoseconds(Self.unit.count / 2) - points[count - 1].stamp
    guard gap > .zero, gap <= TickFollower.maximumGap else { return nil }
    let intervals = (Double(gap.count) - regression.value) / regression.slope
    let whole = intervals.rounded()
    return abs(intervals - whole) <= 0.15 ? Int64(whole) : nil
  }

  /// Whether a stamp that follows exact stamps deviates from their regression although its tick has arrived when it was expected. The third
  /// such stamp in succession shows that the stamps are not exact, and is no outlier.
  private mutating func isOutlier(_ point: Point) -> Bool {
    guard let regression, let arrivals, count >= 3 else { return false }
    let newest = points[count - 1]
    let ticks = Double(point.tick - newest.tick)
    let deviation = Double((point.stamp - newest.stamp).count) - regression.value - regression.slope * ticks
    let arrivalDeviation = Double((point.arrival - newest.arrival).count) - arrivals.value - arrivals.slope * ticks
    guard abs(deviation) > 4 * Double(Self.unit.count),
      abs(deviation - arrivalDeviation) > max(4 * arrivals.spread, abs(deviation) / 2)
    else {
      outliers = 0
      return false
    }
    outliers += 1
    guard outliers == 3 else { return true }
    (isExact, outliers) = (false, 0)
    return false
  }

  /// Discards the oldest ticks until the exact stamps in the window lie on one line: until no stamp is farther from the regression than
  /// a ``unit``. A correct stamp is at most half a unit from its line, and the regression through few stamps may deviate from this line by
  /// the same amount.
  ///
  /// If fewer than four ticks are left of fewer than six, the tempo changes faster than stamps can show, or the stamps are not exact.
  private mutating func keepLine() {
    let before = count
    while count > 2 {
      let newest = points[count - 1]
      let stamps = Regression(points, count) { Double(($0.stamp - newest.stamp).count) }
      if stamps.largest <= Double(Self.unit.count) { break }
      keep(newest: count - 1)
    }
    guard count < before, count < Self.judgingCount else { return }
    if count < 4, before < 7 { isExact = false } else { ticksSinceChange = 0 }
  }

  /// Detects a change of tempo: three consecutive stamps deviate from the regression by more than one and a half units
  /// plus four times the spread of the regression. The window then restarts with these three ticks.
  private mutating func detectTempoChange(_ point: Point, by regression: Regression) {
    let newest = points[count - 1]
    let expected = regression.value + regression.slope * Double(point.tick - newest.tick)
    let deviation = Double((point.stamp - newest.stamp).count) - expected
    outliers = abs(deviation) > 1.5 * Double(Self.unit.count) + 4 * regression.spread ? outliers + 1 : 0
    if outliers == 3 {
      keep(newest: 2)
      outliers = 0
    }
  }

  /// Discards all ticks except the newest `kept`.
  private mutating func keep(newest kept: Int) {
    let first = count - kept
    for n in 0..<kept { points[n] = points[first + n] }
    count = kept
  }

  /// Fits both regressions, and decides whether the stamps are trusted.
  private mutating func update(by clock: ClockEstimate) {
    guard count >= 2 else { return }
    let newest = points[count - 1]
    let stamps = Regression(points, count) { Double(($0.stamp - newest.stamp).count) }
    let arrivals = Regression(points, count) { Double(($0.arrival - newest.arrival).count) }
    (regression, self.arrivals) = (stamps, arrivals)
    timeline = Tempo(nanosecondsPerQuarter: Int64(min(max(stamps.slope, 0), 1e12) * 24)).map {
      Timeline(tempo: $0, tick: newest.tick, at: newest.stamp + Nanoseconds(Int64(stamps.value)) - clock.offset)
    }
    let lateness = newest.arrival + Nanoseconds(Int64(arrivals.value)) - (newest.stamp - clock.offset)
    // The limit has hysteresis: stamps that are already trusted stay trusted while they scatter less than the arrivals.
    let scattersLess = stamps.spread * (isTrusted ? 1 : 2) < arrivals.spread
    let isOnTime =
      lateness >= Self.minimumLateness - clock.uncertainty && lateness <= Self.maximumLateness + clock.uncertainty
    // Over the window, the two lines may diverge by four times the spread of the arrivals or by one percent of the window,
    // whichever is more.
    let divergence = abs(stamps.slope - arrivals.slope) * Double(count)
    let hasSameRate = divergence < max(4 * arrivals.spread, stamps.slope * Double(count) / 100)
    if count >= Self.judgingCount {
      isPlausible = isOnTime && hasSameRate
      isTrusted = timeline != nil && scattersLess && isPlausible
      if stamps.largest <= Double(Self.unit.count) { isExact = true }
    } else {
      isTrusted = false
    }
    if isExact, isPlausible, ticksSinceChange < 4 * Int(Tick.perQuarter) { isTrusted = timeline != nil && isOnTime }
  }

  /// A least-squares regression through values in nanoseconds over ticks, both relative to the newest point.
  private struct Regression {
    // In the initializer, x is a tick and y is a value; xx and xy are the sums of their products, relative to the means.

    /// Nanoseconds per tick.
    var slope = 0.0
    /// The value of the regression at the newest point, nanoseconds.
    var value = 0.0
    /// The mean absolute deviation of the points from the regression, nanoseconds.
    var spread = 0.0
    /// The largest deviation of a point from the regression, nanoseconds.
    var largest = 0.0

    init(_ points: borrowing InlineArray<48, Point>, _ count: Int, of nanoseconds: (Point) -> Double) {
      let origin = points[count - 1].tick
      var (meanX, meanY) = (0.0, 0.0)
      for n in 0..<count {
        meanX += Double(points[n].tick - origin) / Double(count)
        meanY += nanoseconds(points[n]) / Double(count)
      }
      var (xx, xy) = (0.0, 0.0)
      for n in 0..<count {
        let x = Double(points[n].tick - origin) - meanX
        xx += x * x
        xy += x * (nanoseconds(points[n]) - meanY)
      }
      slope = xy / xx
      value = meanY - slope * meanX
      for n in 0..<count {
        let expected = value + slope * Double(points[n].tick - origin)
        let deviation = abs(nanoseconds(points[n]) - expected)
        spread += deviation / Double(count)
        largest = max(largest, deviation)
      }
    }
  }
}

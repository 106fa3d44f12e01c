public import MusicalTime

/// Finds tempo and phase of a clock whose ticks bear time stamps, if the stamps are worth it.
///
/// A stamp says when its tick counts, by the sender's clock, in whole units of 100 us, rounded down: nothing the network
/// does changes it. So through the newest ``depth`` stamps goes a line of least squares, which averages the units out, and
/// another peer's clock is known well enough (``ClockEstimate``) to bring it into the own one.
///
/// But senders stamp as they please: with the moment of sending, with nothing, by a clock of another rate or origin. So
/// the same line is drawn through the arrivals, and the stamps are trusted while they lie twice as close to theirs as the
/// arrivals to theirs, both run at one rate, and the arrivals come when the stamps say: not more than a quarter of a
/// second after, nor a second before.
public struct StampedTicks: Sendable {
  /// Ticks looked back on: two quarters.
  public static let depth = 48
  /// From so many ticks on the stamps can be judged.
  public static let judging = 12
  /// A stamp's unit.
  static let unit = Nanoseconds.microseconds(100)
  /// How much after its stamp, and before it, a tick may come.
  static let latest = Nanoseconds.milliseconds(250)
  static let soonest = Nanoseconds.seconds(-1)

  struct Point {
    var tick = Tick(0)
    /// By the sender's clock.
    var stamp = Instant(nanoseconds: 0)
    /// By the own clock.
    var arrival = Instant(nanoseconds: 0)
  }

  /// The newest ``count`` ticks, oldest first.
  private var points = InlineArray<48, Point>(repeating: Point())
  /// Ticks the line is drawn through.
  public private(set) var count = 0
  /// Stamps in a row that lie off the line.
  private var strays = 0
  /// The stamps' line, in the own clock; nil before the second tick, and while the tempo is none.
  public private(set) var timeline: Timeline?
  /// Whether the stamps say more than the arrivals.
  public private(set) var isTrusted = false
  private var line: Line?

  public init() {}

  /// Forgets everything.
  public mutating func reset() {
    (count, strays) = (0, 0)
    (timeline, line) = (nil, nil)
    isTrusted = false
  }

  /// Learns that `tick` counts at `stamp`, by a clock of which `clock` is known, and came at `arrival`. What does not lie
  /// after the tick before begins anew.
  ///
  /// Real-time: not safe.
  public mutating func add(_ tick: Tick, stamped stamp: Instant, at arrival: Instant, by clock: ClockEstimate) {
    if count > 0 {
      let newest = points[count - 1]
      let gaps = Nanoseconds.zero...TickFollower.longestGap
      if !(1...1000).contains(tick - newest.tick) || stamp == newest.stamp || !gaps.contains(stamp - newest.stamp)
        || !gaps.contains(arrival - newest.arrival)
      {
        reset()
      }
    }
    // The middle of the unit is the best guess.
    let point = Point(tick: tick, stamp: stamp + Nanoseconds(Self.unit.count / 2), arrival: arrival)
    if let line, count >= 6 { judge(point, by: line) }
    if count == Self.depth { keep(newest: Self.depth - 1) }
    points[count] = point
    count += 1
    draw(by: clock)
  }

  /// Three stamps in a row off the line: the tempo has changed.
  private mutating func judge(_ point: Point, by line: Line) {
    let newest = points[count - 1]
    let expected = line.value + line.slope * Double(point.tick - newest.tick)
    let off = Double((point.stamp - newest.stamp).count) - expected
    strays = abs(off) > 1.5 * Double(Self.unit.count) + 4 * line.spread ? strays + 1 : 0
    if strays == 3 {
      keep(newest: 2)
      strays = 0
    }
  }

  private mutating func keep(newest kept: Int) {
    let first = count - kept
    for n in 0..<kept { points[n] = points[first + n] }
    count = kept
  }

  private mutating func draw(by clock: ClockEstimate) {
    guard count >= 2 else { return }
    let newest = points[count - 1]
    let stamps = Line(points, count) { Double(($0.stamp - newest.stamp).count) }
    let arrivals = Line(points, count) { Double(($0.arrival - newest.arrival).count) }
    line = stamps
    timeline = Tempo(nanosecondsPerQuarter: Int64(min(max(stamps.slope, 0), 1e12) * 24)).map {
      Timeline(tempo: $0, tick: newest.tick, at: newest.stamp + Nanoseconds(Int64(stamps.value)) - clock.offset)
    }
    let late = newest.arrival + Nanoseconds(Int64(arrivals.value)) - (newest.stamp - clock.offset)
    let isClose = stamps.spread * (isTrusted ? 1 : 2) < arrivals.spread
    let isInTime = late >= Self.soonest - clock.uncertainty && late <= Self.latest + clock.uncertainty
    // Over the window the two may part by what the arrivals scatter, or by a hundredth.
    let parting = abs(stamps.slope - arrivals.slope) * Double(count)
    let isOfOneRate = parting < max(4 * arrivals.spread, stamps.slope * Double(count) / 100)
    isTrusted = count >= Self.judging && timeline != nil && isClose && isInTime && isOfOneRate
  }

  /// A line of least squares through nanoseconds over ticks, both counted from the newest point.
  private struct Line {
    /// Nanoseconds a tick.
    var slope = 0.0
    /// Where it lies at the newest point.
    var value = 0.0
    /// How far the points are off it, on the mean.
    var spread = 0.0

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
        spread += abs(nanoseconds(points[n]) - expected) / Double(count)
      }
    }
  }
}

public import MusicalTime

/// Finds tempo and phase of a clock of which nothing is known but when its ticks arrived.
///
/// A tick arrives at its moment or later, never earlier: a hard floor with a tail on the late side. Of all the lines
/// that no arrival lies below, the one that lies highest in the middle of the last ``depth`` of them is the likeliest
/// when lateness falls off like an exponential: an edge of the lower convex hull (Andrew's monotone chain), the edge that
/// spans the middle. It runs through two true arrivals, so tempo and origin are exact integers, and one late tick, or
/// ten, change nothing. (Moon, Skelly and Towsley, "Estimation and removal of clock skew from network delay
/// measurements", INFOCOM 1999, draw the same line through packets.)
///
/// Two regimes. While ticks lie above the line as they did before, the window is ``depth`` ticks long and the line hardly
/// moves. A tick far below the line means that the tempo has gone up; four in a row far above it, that it has gone down:
/// the window then begins anew with the ticks that said so.
public struct TickFollower: Sendable {
  /// Ticks looked back on while the tempo is steady: four quarters.
  public static let depth = 96
  /// From so many ticks on the tempo is worth acting on.
  public static let settled = 6
  /// Below so many the line is too young for a tick to contradict it.
  static let judging = 8
  /// Ticks further apart than this have nothing to say about each other.
  public static let longestGap = Nanoseconds.seconds(10)

  private struct Arrival {
    var tick = Tick(0)
    var instant = Instant(nanoseconds: 0)
  }

  /// The newest ``count`` arrivals, oldest first.
  private var arrivals = InlineArray<96, Arrival>(repeating: Arrival())
  /// Arrivals the line is drawn through, at most ``depth``.
  public private(set) var count = 0
  /// The line, a timeline on which no arrival in the window is early; nil before the second tick, and while
  /// the tempo is none (``Tempo/lengths``).
  public private(set) var timeline: Timeline?
  /// How late the ticks in the window are on the mean.
  public private(set) var lateness = Nanoseconds.zero
  /// How often the window began anew because the tempo had changed.
  public private(set) var restarts = 0

  public init() {}

  /// Whether the tempo is worth acting on, if it is one at all.
  public var isSettled: Bool { count >= Self.settled }

  /// How far before the line a tick may come without contradicting it. A young line still sinks with each tick that is
  /// less late than those before.
  var earliness: Nanoseconds {
    let tolerance = max(200_000, 2 * lateness.count) / 4 * 3
    return Nanoseconds(tolerance + tolerance * 8 / Int64(max(1, count)))
  }

  /// Forgets everything.
  public mutating func reset() {
    count = 0
    timeline = nil
    lateness = .zero
  }

  /// Learns that `tick` arrived at `instant`. A tick or an instant that does not lie after the one before is not
  /// possible: the follower begins anew with it.
  ///
  /// Real-time: not safe.
  public mutating func add(_ tick: Tick, at instant: Instant) {
    if count > 0 {
      let newest = arrivals[count - 1]
      let gap = instant - newest.instant
      if !(1...1000).contains(tick - newest.tick) || gap < .zero || gap > Self.longestGap { reset() }
    }
    if let timeline, count >= Self.judging { judge(tick, at: instant, by: timeline) }
    if count == Self.depth { keep(newest: Self.depth - 1) }
    arrivals[count] = Arrival(tick: tick, instant: instant)
    count += 1
    draw()
  }

  /// Begins the window anew when the tick that comes contradicts the line.
  private mutating func judge(_ tick: Tick, at instant: Instant, by line: Timeline) {
    let mean = lateness.count
    let late = (instant - line.deadline(tick)).count
    if late < -earliness.count {
      keep(newest: 1)
      restarts += 1
      return
    }
    var least = late
    for n in (count - 3)..<count { least = min(least, lateness(of: arrivals[n], by: line)) }
    // In a long ritardando the mean grows with it: half a tick is too late in any case.
    if least > min(100_000 + 3 * mean, line.tempo.nanosecondsPerQuarter / 48) {
      keep(newest: 3)
      restarts += 1
    }
  }

  private mutating func keep(newest kept: Int) {
    let first = count - kept
    for n in 0..<kept { arrivals[n] = arrivals[first + n] }
    count = kept
  }

  private func lateness(of arrival: Arrival, by line: Timeline) -> Int64 {
    (arrival.instant - line.deadline(arrival.tick)).count
  }

  /// The hull's edge that spans the middle of the window becomes the line.
  private mutating func draw() {
    guard count >= 2 else { return }
    var hull = InlineArray<96, Int>(repeating: 0)
    var corners = 0
    for n in 0..<count {
      while corners > 1, isAbove(hull[corners - 1], from: hull[corners - 2], to: n) { corners -= 1 }
      hull[corners] = n
      corners += 1
    }
    let middle = arrivals[0].tick.index + (arrivals[count - 1].tick - arrivals[0].tick) / 2
    var end = 1
    while arrivals[hull[end]].tick.index < middle { end += 1 }
    let (a, b) = (arrivals[hull[end - 1]], arrivals[hull[end]])
    // Spans are bounded: 96 gaps of 10 s at most, times 24.
    let span = (b.instant - a.instant).count * 24
    let ticks = b.tick - a.tick
    timeline = Tempo(nanosecondsPerQuarter: (span + ticks / 2) / ticks).map {
      Timeline(tempo: $0, tick: a.tick, at: a.instant)
    }
    guard let timeline else { return }
    var sum: Int64 = 0
    for n in 0..<count { sum += lateness(of: arrivals[n], by: timeline) }
    lateness = Nanoseconds(max(0, sum) / Int64(count))
  }

  /// Whether corner `b` lies on or above the line from `a` to `c`.
  private func isAbove(_ b: Int, from a: Int, to c: Int) -> Bool {
    let (a, b, c) = (arrivals[a], arrivals[b], arrivals[c])
    return (b.instant - a.instant).count * (c.tick - a.tick) >= (c.instant - a.instant).count * (b.tick - a.tick)
  }
}

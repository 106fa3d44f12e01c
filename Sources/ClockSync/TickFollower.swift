public import MusicalTime

/// Finds the tempo and the phase of a clock from the arrivals of its ticks alone.
///
/// A tick arrives at its due time or later, never earlier: the delay has a hard lower bound and a tail on the late side.
/// If the arrival instants are plotted over the tick numbers, the due times form a line, and no arrival lies below it.
/// If the delay is distributed exponentially, the likeliest of all lines with no arrival below them is the one that is
/// highest in the middle of the last ``depth`` ticks. This line extends the edge of the lower convex hull (Andrew's
/// monotone chain) that spans the middle. The line passes through two arrivals, so no rounding error accumulates, and a
/// few late ticks do not move it. (S. Moon, P. Skelly and D. Towsley, "Estimation and removal of clock skew from network
/// delay measurements", INFOCOM 1999, fit the same line to packets.)
///
/// While the tempo is steady, the window grows to ``depth`` ticks, and the line hardly moves. Two events show a change of
/// tempo: a new tick far below the line means that the tempo has increased, and four consecutive ticks far above the line
/// mean that it has decreased. The window then restarts with the newest ticks.
///
/// Real-time: not safe.
public struct TickFollower: Sendable {
  /// The length of the window in ticks while the tempo is steady: four quarter notes.
  public static let depth = 96
  /// The number of ticks from which the tempo is accurate enough for use.
  public static let settledCount = 6
  /// The least number of ticks in the window with which a change of tempo can be detected and a ``TickFit`` exists.
  static let judgingCount = 8
  /// The longest gap between two ticks of one run. After a longer gap the window restarts.
  public static let maximumGap = Nanoseconds.seconds(10)

  private struct Arrival {
    var tick = Tick(0)
    var instant = Instant(nanoseconds: 0)
  }

  /// The newest ``count`` arrivals, oldest first.
  private var arrivals = InlineArray<96, Arrival>(repeating: Arrival())
  /// The number of arrivals in the window, at most ``depth``.
  public private(set) var count = 0
  /// The line, as a timeline on which no arrival in the window is early; nil before the second tick, and while the
  /// slope is outside ``Tempo/lengths``.
  public private(set) var timeline: Timeline?
  /// The mean lateness of the ticks in the window.
  public private(set) var lateness = Nanoseconds.zero
  /// The number of times that the window restarted because the tempo had changed.
  public private(set) var restarts = 0

  public init() {}

  /// Whether the tempo is accurate enough for use. ``timeline`` can still be nil.
  public var isSettled: Bool { count >= Self.settledCount }

  /// The largest time by which a tick can arrive before the line without contradicting it. A line through few ticks
  /// still moves down with each tick that is less late than those before.
  ///
  /// With many ticks, the tolerance is one and a half times the mean lateness, but at least 150 us. With n ticks, it is
  /// larger by the factor 1 + 8 / n.
  var earlyTolerance: Nanoseconds {
    let tolerance = max(200_000, 2 * lateness.count) / 4 * 3
    return Nanoseconds(tolerance + tolerance * 8 / Int64(max(1, count)))
  }

  /// Discards all arrivals.
  ///
  /// Real-time: not safe.
  public mutating func reset() {
    count = 0
    timeline = nil
    lateness = .zero
  }

  /// Adds the arrival of `tick` at `instant`. The window restarts with this arrival if it does not follow the previous one:
  /// if the tick number does not increase or increases by more than 1000, if the instant is earlier, or if the gap is
  /// longer than ``maximumGap``.
  ///
  /// Real-time: not safe.
  public mutating func add(_ tick: Tick, at instant: Instant) {
    if count > 0 {
      let newest = arrivals[count - 1]
      let gap = instant - newest.instant
      if !(1...1000).contains(tick - newest.tick) || gap < .zero || gap > Self.maximumGap { reset() }
    }
    if let timeline, count >= Self.judgingCount { detectTempoChange(tick, at: instant, by: timeline) }
    if count == Self.depth { keep(newest: Self.depth - 1) }
    arrivals[count] = Arrival(tick: tick, instant: instant)
    count += 1
    update()
  }

  /// Restarts the window if the new tick is too early for the line, or if the new tick and the three before it are all too
  /// late for it.
  private mutating func detectTempoChange(_ tick: Tick, at instant: Instant, by line: Timeline) {
    let mean = lateness.count
    let late = (instant - line.deadline(tick)).count
    if late < -earlyTolerance.count {
      keep(newest: 1)
      restarts += 1
      return
    }
    var leastLate = late
    for n in (count - 3)..<count { leastLate = min(leastLate, Self.lateness(of: arrivals[n], by: line)) }
    // Too late is more than 100 us plus three times the mean lateness. In a long ritardando the mean lateness grows too.
    // Therefore more than half a tick interval, 1/48 quarter note, is always too late.
    if leastLate > min(100_000 + 3 * mean, line.tempo.nanosecondsPerQuarter / 48) {
      keep(newest: 3)
      restarts += 1
    }
  }

  /// Discards all arrivals except the newest `kept`.
  private mutating func keep(newest kept: Int) {
    let first = count - kept
    for n in 0..<kept { arrivals[n] = arrivals[first + n] }
    count = kept
  }

  /// The arrival minus the due time of the tick on `line`, nanoseconds.
  // This function and `isAbove` are static, because a debug build copies the whole window for each call of a non-mutating
  // method.
  private static func lateness(of arrival: Arrival, by line: Timeline) -> Int64 {
    (arrival.instant - line.deadline(arrival.tick)).count
  }

  /// Sets the line to the edge of the hull that spans the middle of the window.
  private mutating func update() {
    guard count >= 2 else { return }
    var hull = InlineArray<96, Int>(repeating: 0)
    var corners = 0
    for n in 0..<count {
      while corners > 1 {
        let (a, b) = (arrivals[hull[corners - 2]], arrivals[hull[corners - 1]])
        guard Self.isAbove(b, from: a, to: arrivals[n]) else { break }
        corners -= 1
      }
      hull[corners] = n
      corners += 1
    }
    let middle = arrivals[0].tick.index + (arrivals[count - 1].tick - arrivals[0].tick) / 2
    var end = 1
    while arrivals[hull[end]].tick.index < middle { end += 1 }
    let (a, b) = (arrivals[hull[end - 1]], arrivals[hull[end]])
    // The time of 24 ticks is a quarter note. The time spans are bounded by 96 gaps of 10 s: no overflow.
    let span = (b.instant - a.instant).count * 24
    let ticks = b.tick - a.tick
    timeline = Tempo(nanosecondsPerQuarter: (span + ticks / 2) / ticks).map {
      Timeline(tempo: $0, tick: a.tick, at: a.instant)
    }
    guard let timeline else { return }
    var sum: Int64 = 0
    for n in 0..<count { sum += Self.lateness(of: arrivals[n], by: timeline) }
    lateness = Nanoseconds(max(0, sum) / Int64(count))
  }

  /// Whether corner `b` lies on or above the line from `a` to `c`.
  private static func isAbove(_ b: Arrival, from a: Arrival, to c: Arrival) -> Bool {
    (b.instant - a.instant).count * (c.tick - a.tick) >= (c.instant - a.instant).count * (b.tick - a.tick)
  }
}

/// The fit of a ``TickFollower``: its timeline, with the tolerances that decide whether an arrival is a given tick. The
/// deadline of a tick is the instant at which the tick is due on the timeline.
struct TickFit {
  let timeline: Timeline
  /// The interval between two ticks, nanoseconds.
  let interval: Double
  /// The largest time by which a tick can arrive before its deadline.
  let earlyTolerance: Nanoseconds
  /// The largest time after its deadline at which the arrival of a tick still agrees with the fit.
  let lateTolerance: Nanoseconds

  /// The number of ticks after `tick` that are due by `instant`. Zero or negative if the tick after `tick` is not yet due.
  func ticks(from tick: Tick, to instant: Instant) -> Int64 { timeline.tick(at: instant) - tick }

  /// Whether `instant` is a likely arrival of `tick`: within both tolerances.
  func fits(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -earlyTolerance && lateness <= lateTolerance
  }

  /// Whether `tick`, which arrived at `instant`, was late by more than a third of an interval.
  func isDelayed(_ instant: Instant, as tick: Tick) -> Bool {
    (instant - timeline.deadline(tick)).count * 3 > Int64(interval)
  }

  /// Whether `instant` is a possible arrival of `tick`: late by less than half an interval, or early within the tolerance.
  func isPlausible(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -earlyTolerance && lateness.count * 2 < Int64(interval)
  }
}

extension TickFollower {
  /// The fit; nil while the window has too few ticks (``judgingCount``), or while there is no ``timeline``.
  ///
  /// Lateness is tolerated up to 100 us plus four times the mean lateness, but not more than three quarters of an
  /// interval. Earliness is tolerated up to ``TickFollower/earlyTolerance``, but not more than a quarter of an interval.
  var fit: TickFit? {
    guard count >= Self.judgingCount, let timeline else { return nil }
    let interval = Double(timeline.tempo.nanosecondsPerQuarter) / 24
    return TickFit(
      timeline: timeline, interval: interval, earlyTolerance: min(earlyTolerance, Nanoseconds(Int64(interval) / 4)),
      lateTolerance: min(.microseconds(100) + Nanoseconds(4 * lateness.count), Nanoseconds(Int64(interval) / 4 * 3)))
  }
}

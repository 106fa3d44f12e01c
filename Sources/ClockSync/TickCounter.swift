public import MusicalTime

/// Says which tick it is that has just arrived, of a clock whose ticks may go missing or come twice without being told.
///
/// Two regimes. Where a ``TickFollower``'s line stands, time decides: the tick is the last one due by then on the line, so
/// that what was lost is passed over, and what comes twice, or in a heap after the sender's stall, is not counted again.
/// Two ticks in a row that fit the line and follow each other confirm all that was counted so far. Until then the
/// arrivals since the last one confirmed, ``depth`` at most, are read a second way: as ticks of one tempo that is told
/// by their gaps alone (``Reading``). Lost ticks and a slower tempo look alike at first; the line's reading counts until it
/// contradicts the arrivals, or until it would need more losses than this clock is likely to have (one chance in a
/// million, by the share of its ticks lost so far): then the tempo has changed, and the ticks are numbered anew. So
/// three ticks tell that the tempo of a clock that loses none is halved, five where one in twenty is lost.
///
/// While the line is young, as at the beginning and after a step in tempo, the gaps' reading alone counts.
public struct TickCounter: Sendable {
  /// Arrivals that may be numbered anew.
  public static let depth = 12
  /// A tick that comes after less than this part of an interval is one that came twice.
  static let shortest = 3.0
  /// Nanoseconds: a clock at 60 000 BPM is none.
  static let shortestInterval = 40_000.0
  /// Gaps of more intervals than that are left to the line.
  static let longestReading = 8.0
  /// What is as unlikely as this has not happened.
  static let impossible = 1e-6

  struct Arrival {
    var instant = Instant(nanoseconds: 0)
    /// Its number; that of the one before when it came twice.
    var tick = Tick(0)
    /// Whether a line that stands says the same.
    var fits = false
  }

  /// The arrivals since the last one confirmed, which is the first.
  var arrivals = InlineArray<12, Arrival>(repeating: Arrival())
  var count = 0
  /// The number of the tick that comes next.
  public internal(set) var next = Tick(0)
  /// Ticks that never came, as far as confirmed.
  public private(set) var lost: Int64 = 0
  /// Ticks that came twice.
  public internal(set) var doubled: Int64 = 0
  /// How often ticks were numbered anew.
  public internal(set) var revisions = 0
  /// The newest interval known, nanoseconds.
  var interval: Double?
  /// The interval before the first of the arrivals, if it is known.
  private(set) var intervalBefore: Double?
  /// The share of ticks lost lately, as far as one can say.
  private(set) var lossRate = 1.0 / 32
  /// Ticks passed over last, of a source that numbers what it sends.
  private var passed: Int64 = 0
  /// Whether the next tick is the first of its kind (``begin(at:by:)``).
  private var begins = false

  public init() {}

  /// Takes a tick that arrived at `instant`, and gives it, numbered, to `follower`.
  ///
  /// - Returns: whether it was counted; not when it came twice.
  ///
  /// Real-time: not safe.
  @discardableResult
  public mutating func add(_ instant: Instant, to follower: inout TickFollower) -> Bool {
    guard count > 0, let gap = gap(to: instant) else {
      add(counted: instant, to: &follower)
      return true
    }
    if let line = follower.standing {
      return add(instant, by: line, after: gap, to: &follower)
    }
    if begins {
      add(counted: instant, to: &follower)
      return true
    }
    var ticks: Int64 = 1
    if let interval {
      ticks = gap * Self.shortest < interval ? 0 : max(1, Int64(gap / interval + 0.4))
    }
    if ticks > 0 { interval = max(Self.shortestInterval, ((interval ?? gap) + gap / Double(ticks)) / 2) }
    append(Arrival(instant: instant, tick: next + (ticks - 1)))
    if ticks > 0 { follower.add(next + -1, at: instant) } else { doubled += 1 }
    reread(isStanding: false, &follower)
    return arrivals[count - 1].tick > arrivals[max(0, count - 2)].tick
  }

  /// Takes a tick of a source that numbers what it sends, so that nothing is missing or doubled unseen, whatever the time.
  /// One that comes late and right behind another, in a heap, says nothing about time: `follower` does not hear of it.
  ///
  /// - Parameter missing: how many things sent right before it have not come. How many of them were ticks, time decides.
  ///
  /// Real-time: not safe.
  public mutating func add(counted instant: Instant, missing: Int64 = 0, to follower: inout TickFollower) {
    if missing > 0 { pass(upTo: missing, before: instant, by: follower) }
    if begins, let line = follower.standing, !line.admits(instant, as: next) { follower.reset() }
    begins = false
    var isHeaped = false
    if count > 0, let line = follower.standing, let gap = gap(to: instant) {
      isHeaped = gap * Self.shortest < line.interval && instant > line.timeline.deadline(next)
    }
    if count > 0, let gap = gap(to: instant), gap >= Self.shortestInterval { interval = gap }
    count = 0
    intervalBefore = nil
    append(Arrival(instant: instant, tick: next, fits: true))
    if !isHeaped { follower.add(next + -1, at: instant) }
  }

  /// A tick that was missing has come after all: whether it is to be counted still.
  ///
  /// Real-time: not safe.
  public mutating func cameLate() -> Bool {
    guard passed > 0 else { return true }
    passed -= 1
    lost -= 1
    return false
  }

  private mutating func pass(upTo missing: Int64, before instant: Instant, by follower: TickFollower) {
    guard count > 0, let gap = gap(to: instant) else { return }
    var ticks: Int64 = 1
    if let line = follower.standing {
      ticks = line.ticks(from: next + -1, to: instant + line.early)
    } else if let interval {
      ticks = Int64(gap / interval + 0.4)
    }
    let before = min(max(ticks - 1, 0), missing)
    next = next + before
    lost += before
    passed = before
  }

  /// Passes over a tick of which the source knows, but not when it was.
  public mutating func pass() {
    next = next + 1
    count = 0
  }

  /// Forgets when ticks came, but not how many: the next one is the next, whenever it comes.
  public mutating func forget() { (count, interval, intervalBefore) = (0, nil, nil) }

  /// The tick that comes next is the first of something, as Start said at `instant`, and what was before is not counted
  /// anew. Ticks that were due before and have not come are lost.
  public mutating func begin(at instant: Instant, by follower: TickFollower) {
    if count > 0, let line = follower.standing {
      let missed = line.ticks(from: next + -1, to: instant - line.early)
      if (1...4).contains(missed) {
        next = next + missed
        lost += missed
      }
    }
    begins = true
  }

  /// Nanoseconds since the newest tick, nil when they tell nothing.
  private func gap(to instant: Instant) -> Double? {
    var last = count - 1
    while last > 0, arrivals[last].tick == arrivals[last - 1].tick { last -= 1 }
    let gap = instant - arrivals[last].instant
    return gap < .zero || gap > TickFollower.longestGap ? nil : Double(gap.count)
  }

  /// Counts by the line.
  private mutating func add(
    _ instant: Instant, by line: TickFit, after gap: Double, to follower: inout TickFollower
  ) -> Bool {
    var ticks = line.ticks(from: next + -1, to: instant + line.early)
    if begins, !(1...5).contains(ticks) || !line.admits(instant, as: next + (ticks - 1)) {
      add(counted: instant, to: &follower)
      return true
    }
    if ticks < 1 {
      if gap * Self.shortest < line.interval {
        if count > 1, arrivals[count - 1].tick - arrivals[count - 2].tick > 1 {
          // What seemed lost comes in a heap, after its sender's stall.
          arrivals[0] = arrivals[count - 1]
          count = 1
        }
        doubled += 1
        return false
      }
      ticks = 1
    }
    let newest = arrivals[count - 1]
    if ticks > 1, gap < (Double(ticks) - 0.5) * line.interval,
      line.isHeldUp(newest.instant, as: newest.tick) || instant < line.timeline.deadline(newest.tick + ticks)
    {
      // Ever later ticks that have reached the next one's place: they slow down, and none is lost.
      ticks = max(1, Int64((gap / line.interval).rounded()))
    }
    interval = line.interval
    let tick = next + (ticks - 1)
    let arrival = Arrival(instant: instant, tick: tick, fits: line.fits(instant, as: tick))
    if begins { count = 0 }
    begins = false
    let follows = ticks == 1 && count > 0 && arrivals[count - 1].fits
    append(arrival)
    follower.add(tick, at: instant)
    if arrival.fits, follows { confirm(line.interval) } else { reread(isStanding: true, &follower) }
    return true
  }

  /// What was counted so far is so.
  private mutating func confirm(_ interval: Double) {
    intervalBefore = interval
    for n in 1..<count {
      let missing = arrivals[n].tick - arrivals[n - 1].tick - 1
      lost += max(0, missing)
      // Over some 500 ticks; whoever has lost none may lose one.
      lossRate = max(1.0 / 200, lossRate + (Double(min(max(0, missing), 1)) - lossRate) / 512)
    }
    arrivals[0] = arrivals[count - 1]
    count = 1
  }

  private mutating func append(_ arrival: Arrival) {
    if count == Self.depth {
      let ticks = arrivals[1].tick - arrivals[0].tick
      if ticks > 0 { intervalBefore = Double((arrivals[1].instant - arrivals[0].instant).count) / Double(ticks) }
      for n in 1..<count { arrivals[n - 1] = arrivals[n] }
      count -= 1
    }
    arrivals[count] = arrival
    count += 1
    next = arrival.tick + 1
  }
}

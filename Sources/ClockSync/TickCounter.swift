public import MusicalTime

/// Determines the number of each arriving tick of a clock whose ticks can be lost or duplicated without notice.
///
/// The sender of the ticks is called the source. If the source numbers its packets, losses are known, and
/// ``add(counted:missing:to:)`` is used. If it does not, ``add(_:to:)`` numbers the ticks by two methods. An arrival is
/// a tick, or a duplicate, that has arrived.
///
/// *By the fit.* While a ``TickFollower`` has a reliable fit (``TickFit``), an arrival gets the number of the last tick
/// that is due at this instant according to the fit. Lost ticks are thus skipped. Ticks that arrive twice, or in a burst
/// after a stall of the sender, are not counted again. Two consecutive ticks that agree with the fit confirm all numbers
/// so far.
///
/// *By the gaps.* The arrivals since the last confirmed one, at most ``depth``, are also interpreted as ticks of a
/// constant tempo that follows from the gaps between them alone (``Interpretation``). While the fit is unreliable, at the
/// beginning and after a step of the tempo, only this method is used. Each tick is then first numbered provisionally, from
/// the latest estimate of the interval. As soon as there are four arrivals, and thus three gaps, the ticks are renumbered
/// by the gaps.
///
/// Lost ticks and a slower tempo look alike at first. The numbers from the fit apply until they contradict the arrivals,
/// or until they require more losses than this clock is likely to have (a probability of at most one in a million, given
/// its loss rate so far). Then the tempo has changed, and the ticks are renumbered by the gaps. A halved tempo is thus
/// detected after three ticks if the clock loses none, and after five ticks if it loses one in twenty.
public struct TickCounter: Sendable {
  /// The number of arrivals that can be renumbered.
  public static let depth = 12
  /// A tick is a duplicate if the gap before it is shorter than an interval divided by this number.
  static let duplicateRatio = 3.0
  /// The smallest interval between two ticks, nanoseconds. It corresponds to about 60 000 BPM.
  static let minimumInterval = 40_000.0
  /// The longest first gap of an ``Interpretation``, in intervals, whose number of ticks is determined from the interval.
  static let maximumReadableGap = 8.0
  /// The probability of a sequence of losses at or below which the sequence is taken for a change of tempo.
  static let minimumProbability = 1e-6

  /// One tick, or a duplicate, with its number.
  struct Arrival {
    var instant = Instant(nanoseconds: 0)
    /// The number of the tick; for a duplicate, the number of the tick before.
    var tick = Tick(0)
    /// Whether the arrival agrees with a reliable fit.
    var fits = false
  }

  /// The last confirmed arrival, and the arrivals after it.
  var arrivals = InlineArray<12, Arrival>(repeating: Arrival())
  /// The number of elements of ``arrivals`` in use.
  var count = 0
  /// The number of the next tick. The newest tick is `next + -1`, because `Tick` has no operator that subtracts a number.
  public internal(set) var next = Tick(0)
  /// The number of lost ticks, as far as confirmed.
  public private(set) var lost: Int64 = 0
  /// The number of duplicate ticks.
  public internal(set) var duplicates: Int64 = 0
  /// The number of times that ticks were renumbered.
  public internal(set) var revisions = 0
  /// The latest estimate of the interval between two ticks, nanoseconds.
  var interval: Double?
  /// The interval before the first of the arrivals, nanoseconds; nil if it is unknown.
  private(set) var intervalBefore: Double?
  /// A moving average of the fraction of lost ticks. The initial value is an assumption.
  private(set) var lossRate = 1.0 / 32
  /// The number of ticks that the last ``skip(upTo:before:by:)`` skipped and that have not arrived since.
  private var skipped: Int64 = 0
  /// Whether the next tick is the first tick of a run (``start(at:by:)``).
  private var isStarting = false

  public init() {}

  /// Numbers a tick that arrived at `instant`, and adds it to `follower`.
  ///
  /// - Returns: false if the tick is a duplicate.
  ///
  /// Real-time: not safe.
  @discardableResult
  public mutating func add(_ instant: Instant, to follower: inout TickFollower) -> Bool {
    // The first tick, and a tick after a long pause, gets the next number: no gap shows how many ticks were lost.
    guard count > 0, let gap = gap(to: instant) else {
      add(counted: instant, to: &follower)
      return true
    }
    if let fit = follower.fit {
      return add(instant, by: fit, after: gap, to: &follower)
    }
    // The gap before the first tick of a run can have any length: this tick gets the next number, too.
    if isStarting {
      add(counted: instant, to: &follower)
      return true
    }
    // The number of ticks by which the count advances: 0 for a duplicate, more than 1 if ticks were lost.
    var ticks: Int64 = 1
    if let interval {
      ticks = gap * Self.duplicateRatio < interval ? 0 : max(1, Self.intervals(in: gap, of: interval))
    }
    // A moving average of the interval: the mean of the previous estimate and of the mean interval within this gap.
    if ticks > 0 { interval = max(Self.minimumInterval, ((interval ?? gap) + gap / Double(ticks)) / 2) }
    append(Arrival(instant: instant, tick: next + (ticks - 1)))
    if ticks > 0 { follower.add(next + -1, at: instant) } else { duplicates += 1 }
    renumberByGaps(hasFit: false, &follower)
    // Renumbering can change whether the arrival is a duplicate.
    return arrivals[count - 1].tick > arrivals[count - 2].tick
  }

  /// Gives a tick the next number, and confirms the number. This function is for a source that numbers its packets, so that
  /// losses and duplicates are known. ``add(_:to:)`` also calls it where no gap can show how many ticks were lost. A tick
  /// in a burst, late and directly after another tick, is not added to `follower`, because its arrival carries no timing
  /// information.
  ///
  /// - Parameters:
  ///   - instant: the arrival of the tick, local time.
  ///   - missing: the number of commands that were sent directly before the tick and have not arrived. The elapsed time
  ///     decides how many of these were ticks.
  ///   - isContinued: whether the tick is known to continue the ticks before Start, although it may have arrived late.
  ///   - follower: the follower to which the tick is added.
  ///
  /// Real-time: not safe.
  public mutating func add(
    counted instant: Instant, missing: Int64 = 0, isContinued: Bool = false, to follower: inout TickFollower
  ) {
    if missing > 0 { skip(upTo: missing, before: instant, by: follower) }
    // The fit of the previous run does not apply to a run with another tempo or phase.
    if isStarting, !isContinued, let fit = follower.fit, !fit.isPlausible(instant, as: next) { follower.reset() }
    isStarting = false
    var isInBurst = false
    if count > 0, let fit = follower.fit, let gap = gap(to: instant) {
      isInBurst = gap * Self.duplicateRatio < fit.interval && instant > fit.timeline.deadline(next)
    }
    if count > 0, let gap = gap(to: instant), gap >= Self.minimumInterval { interval = gap }
    count = 0
    intervalBefore = nil
    append(Arrival(instant: instant, tick: next, fits: true))
    if !isInBurst { follower.add(next + -1, at: instant) }
  }

  /// Records that a missing tick has arrived late. If its number was skipped, the tick no longer counts as lost.
  ///
  /// - Returns: false if the number of the tick was skipped; true if the caller must still count the tick.
  ///
  /// Real-time: not safe.
  public mutating func consumeLateTick() -> Bool {
    guard skipped > 0 else { return true }
    skipped -= 1
    lost -= 1
    return false
  }

  /// The number of intervals in a gap, rounded in favour of the smaller number: from n - 0.4 to n + 0.6 intervals give n.
  private static func intervals(in gap: Double, of interval: Double) -> Int64 { Int64(gap / interval + 0.4) }

  /// Skips the ticks that are missing before the tick at `instant`: as many as the elapsed time requires, but at most
  /// `missing`.
  private mutating func skip(upTo missing: Int64, before instant: Instant, by follower: TickFollower) {
    guard count > 0, let gap = gap(to: instant) else { return }
    var ticks: Int64 = 1
    if let fit = follower.fit {
      ticks = fit.ticks(from: next + -1, to: instant + fit.earlyTolerance)
    } else if let interval {
      ticks = Self.intervals(in: gap, of: interval)
    }
    let lostTicks = min(max(ticks - 1, 0), missing)
    next = next + lostTicks
    lost += lostTicks
    skipped = lostTicks
  }

  /// Skips the number of a tick that the source has counted, but whose arrival time is not known.
  ///
  /// Real-time: not safe.
  public mutating func skip() {
    next = next + 1
    count = 0
  }

  /// Skips the numbers of ticks that were lost before the newest one, as is known only now.
  ///
  /// Real-time: not safe.
  public mutating func lose(_ ticks: Int64) {
    next = next + ticks
    lost += ticks
    count = 0
  }

  /// Discards the arrivals, but keeps the numbering: the next tick gets the number ``next``, whenever it arrives.
  ///
  /// Real-time: not safe.
  public mutating func forget() { (count, interval, intervalBefore) = (0, nil, nil) }

  /// Marks the next tick as the first tick of a run, because Start arrived at `instant`. Earlier ticks are not
  /// renumbered. Up to four ticks that were due before `instant` and have not arrived are lost. If more are missing, the
  /// clock has paused, and no tick is counted as lost.
  ///
  /// - Parameter missing: the number of commands that were sent directly before Start and have not arrived; nil if the source does not
  ///   number its packets. If none is missing, no tick is lost, however late Start has arrived.
  ///
  /// Real-time: not safe.
  public mutating func start(at instant: Instant, missing: Int64? = nil, by follower: TickFollower) {
    if count > 0, let fit = follower.fit {
      let due = fit.ticks(from: next + -1, to: instant - fit.earlyTolerance)
      let missed = missing.map { min($0, due) } ?? due
      if (1...4).contains(missed) {
        next = next + missed
        lost += missed
      }
    }
    isStarting = true
  }

  /// Nanoseconds since the newest tick that is not a duplicate; nil if `instant` is earlier than this tick, or more than
  /// ``TickFollower/maximumGap`` later.
  private func gap(to instant: Instant) -> Double? {
    var last = count - 1
    while last > 0, arrivals[last].tick == arrivals[last - 1].tick { last -= 1 }
    let gap = instant - arrivals[last].instant
    return gap < .zero || gap > TickFollower.maximumGap ? nil : Double(gap.count)
  }

  /// Numbers the tick that arrived at `instant` by the fit, `gap` nanoseconds after the newest tick.
  ///
  /// - Returns: false if the tick is a duplicate.
  private mutating func add(
    _ instant: Instant, by fit: TickFit, after gap: Double, to follower: inout TickFollower
  ) -> Bool {
    // The number of ticks that are due on the fit since the newest tick.
    var ticks = fit.ticks(from: next + -1, to: instant + fit.earlyTolerance)
    // A new run may have another tempo. Its first tick is therefore numbered by the fit only if it agrees with the fit and
    // at most four ticks before it are lost.
    if isStarting, !(1...5).contains(ticks) || !fit.isPlausible(instant, as: next + (ticks - 1)) {
      add(counted: instant, to: &follower)
      return true
    }
    if ticks < 1 {
      // The next tick is not due yet. The arrival is a duplicate if the gap is short, and otherwise the next tick.
      if gap * Self.duplicateRatio < fit.interval {
        if count > 1, arrivals[count - 1].tick - arrivals[count - 2].tick > 1 {
          // The ticks that seemed lost arrive in a burst, after a stall of the sender. The gap before the newest tick is
          // forgotten, so that they are not counted as lost.
          arrivals[0] = arrivals[count - 1]
          count = 1
        }
        duplicates += 1
        return false
      }
      ticks = 1
    }
    let newest = arrivals[count - 1]
    if ticks > 1, gap < (Double(ticks) - 0.5) * fit.interval,
      fit.isDelayed(newest.instant, as: newest.tick) || instant < fit.timeline.deadline(newest.tick + ticks)
    {
      // By the fit, ticks seem to be lost, but the gap is too short for so many ticks. Also, the newest tick was already
      // late, or this tick is early for the number that the fit gives it. The lateness has built up from tick to tick, so
      // the tempo is slowing down. The intervals in the gap are counted instead.
      ticks = max(1, Int64((gap / fit.interval).rounded()))
    }
    interval = fit.interval
    let tick = next + (ticks - 1)
    let arrival = Arrival(instant: instant, tick: tick, fits: fit.fits(instant, as: tick))
    if isStarting { count = 0 }
    isStarting = false
    let follows = ticks == 1 && count > 0 && arrivals[count - 1].fits
    append(arrival)
    follower.add(tick, at: instant)
    if arrival.fits, follows { confirm(fit.interval) } else { renumberByGaps(hasFit: true, &follower) }
    return true
  }

  /// Confirms the numbers of all arrivals so far. `interval` is the interval between two ticks on the fit.
  private mutating func confirm(_ interval: Double) {
    intervalBefore = interval
    for n in 1..<count {
      let missing = arrivals[n].tick - arrivals[n - 1].tick - 1
      lost += max(0, missing)
      // The average covers about 500 ticks. A clock that has lost none may still lose one.
      lossRate = max(1.0 / 200, lossRate + (Double(min(max(0, missing), 1)) - lossRate) / 512)
    }
    arrivals[0] = arrivals[count - 1]
    count = 1
  }

  /// Appends an arrival. If ``arrivals`` is full, the oldest one is discarded.
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

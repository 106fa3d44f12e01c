import MusicalTime

/// Determines the tick numbers of the stamps of a clock, relative to the beginning of each run.
///
/// A trace contains the tick numbers. In other inputs they follow from the intervals between the stamps. Each interval is divided by the
/// length of a tick and rounded to a whole number k:
///
/// - k = 1...24: the tick number increases by k, so k - 1 ticks are lost.
/// - k = 0: the tick is doubled. Its number is that of the previous tick.
/// - k > 24, more than a quarter note of MIDI clock: a new run begins.
///
/// There is one exception. If intervals with k = 0 follow an interval with k > 1, at most k - 1 of their ticks are late, and not doubled.
/// A late tick takes the number of a missing tick. For example, the intervals 3, 0 and 0 increase the number by 1, 1 and 1.
struct TickNumbering {
  private let stamps: [Int64]
  private let advances: [Int32]
  /// The length of a tick in nanoseconds, at least 1.
  private let period: Double
  /// How many of the next ticks are late and not doubled.
  private var lateTicksAhead = 0

  /// The longest interval within a run, in ticks. It does not apply to a trace.
  private static let longestGap = 24.0

  init(_ clock: ClockStamps, period: Double) {
    (stamps, advances, self.period) = (clock.stamps, clock.advances, period)
  }

  /// Returns the number of ticks from the previous stamp to the stamp at `index`; nil if a new run begins, 0 for a doubled tick. The
  /// function must be called for each index in order.
  mutating func advance(_ index: Int) -> Int? {
    guard index > 0 else { return nil }
    guard advances.isEmpty else { return advances[index] == ClockStamps.restart ? nil : Int(advances[index]) }
    let whole = roundedInterval(index)
    guard whole <= Self.longestGap else {
      lateTicksAhead = 0
      return nil
    }
    if whole == 0 {
      guard lateTicksAhead > 0 else { return 0 }
      lateTicksAhead -= 1
      return 1
    }
    // The number of late ticks after this stamp: those whose interval is 0 ticks, at most as many as there are missing ticks.
    var late = 0
    while index + late + 1 < stamps.count, late < Int(whole) - 1, roundedInterval(index + late + 1) == 0 { late += 1 }
    lateTicksAhead = late
    return Int(whole) - late
  }

  /// Returns the interval before the stamp at `index` in ticks, rounded to a whole number.
  private func roundedInterval(_ index: Int) -> Double {
    (Double(stamps[index] - stamps[index - 1]) / period).rounded()
  }

  /// Returns the length of a tick in nanoseconds: the mean of all intervals that are longer than half and shorter than one and a half
  /// times an estimate. The estimate is `approximate`, or the median interval if `approximate` is nil. The median alone is not exact
  /// enough to divide an interval of many ticks, because lost ticks move it. Lost ticks have no effect on the mean, because their
  /// intervals are left out.
  ///
  /// - Parameters:
  ///   - clock: the stamps. In a trace, only the intervals between ticks with consecutive numbers count.
  ///   - approximate: the length of a tick at the nominal tempo in nanoseconds; nil if unknown.
  /// - Returns: `approximate` if there is no interval; 0 if most stamps are equal and `approximate` is nil.
  static func period(of clock: ClockStamps, approximate: Double?) -> Double? {
    var lengths: [Int64] = []
    lengths.reserveCapacity(clock.stamps.count)
    for index in clock.stamps.indices.dropFirst() where clock.advances.isEmpty || clock.advances[index] == 1 {
      lengths.append(clock.stamps[index] - clock.stamps[index - 1])
    }
    guard !lengths.isEmpty else { return approximate }
    lengths.sort()
    let center = approximate ?? Double(lengths[lengths.count / 2])
    var (count, sum) = (0.0, 0.0)
    for length in lengths where Double(length) > center / 2 && Double(length) < center * 1.5 {
      count += 1
      sum += Double(length) - center
    }
    return count > 0 ? center + sum / count : center
  }
}

/// Counts the ticks between consecutive tick lines of a trace, and calculates the mean length of a tick by the due instants.
///
/// ``ClockStamps`` uses this type to read a trace.
struct TraceNumbering {
  private var previous: TraceTick?
  /// The sums of the ticks and of the nanoseconds between consecutive lines of the same run.
  private var (ticks, nanoseconds): (Int64, Int128) = (0, 0)

  /// The shortest length of a tick within a run in nanoseconds. A tick at the fastest tempo, 999 BPM, takes 2.5 ms. If the time between
  /// the due instants of two lines is less than this value for each tick between them, the lines belong to different runs.
  private static let shortestTick: Int64 = 2_400_000
  /// The longest gap in ticks within a run: 100 quarter notes. After a longer gap a new run begins, because the phase before the gap says
  /// little about the phase after it.
  private static let longestGap: Int64 = 2400

  /// The mean length of a tick by the due instants, in nanoseconds; nil if no run has two ticks.
  var period: Double? { ticks > 0 ? Double(nanoseconds) / Double(ticks) : nil }

  /// Returns the number of ticks from the previous line to `tick`, or ``ClockStamps/restart`` if a new run begins.
  ///
  /// A new run begins as in ``Trace/runs``, and also after a gap of more than 2400 ticks or if the ticks are too fast. There is one
  /// exception: a tick with the same number as the previous line and nearly the same due instant is a repetition. The result is then 0.
  mutating func advance(to tick: TraceTick) -> Int32 {
    defer { previous = tick }
    guard let previous else { return ClockStamps.restart }
    let (advance, overflow) = tick.tick.index.subtractingReportingOverflow(previous.tick.index)
    guard !overflow else { return ClockStamps.restart }
    let interval = tick.due - previous.due
    if advance == 0, interval.magnitude.count < Self.shortestTick { return 0 }
    guard !Trace.beginsRun(tick, after: previous), advance <= Self.longestGap,
      interval.count >= advance * Self.shortestTick
    else { return ClockStamps.restart }
    ticks += advance
    nanoseconds += Int128(interval.count)
    return Int32(advance)
  }
}

/// Assigns a position to each stamp of a clock: the number of its tick within its run.
///
/// In a trace the tick numbers are known. In a file of stamps they follow from the intervals. An interval of k ticks,
/// rounded to a whole number, advances by k; k - 1 ticks are missing. An interval of 0 ticks, which is less than half a
/// tick, is a doubled tick. There is one exception: after a long interval, ticks that follow each other at once are late
/// and not doubled. They take the positions of the missing ticks. For example, an interval of 3 ticks and two intervals of 0 ticks
/// advance by 1, 1 and 1, and no tick is lost. An interval of more than 24 ticks, a quarter note, begins a new run.
struct TickNumbering {
  /// The numbers of lost and of doubled ticks.
  struct Counts {
    var (lost, doubled) = (0, 0)
  }

  private let stamps: [Int64]
  private let advances: [Int32]
  /// The length of a tick in nanoseconds, at least 1.
  private let period: Double
  /// The number of missing positions that late ticks will still take.
  private var free = 0

  /// The longest interval in ticks within a run of a file of stamps.
  private static let longestGap = 24.0

  init(_ clock: ClockStamps, period: Double) {
    (stamps, advances, self.period) = (clock.stamps, clock.advances, period)
  }

  /// Returns the number of ticks from the previous stamp to stamp `index`; nil if a new run begins, 0 for a doubled tick.
  /// Call it for each index in order.
  mutating func advance(_ index: Int) -> Int? {
    guard index > 0 else { return nil }
    guard advances.isEmpty else { return advances[index] == ClockStamps.restart ? nil : Int(advances[index]) }
    let whole = roundedInterval(index)
    guard whole <= Self.longestGap else {
      free = 0
      return nil
    }
    if whole == 0 {
      guard free > 0 else { return 0 }
      free -= 1
      return 1
    }
    // The late ticks that follow at once: each less than half a tick after the stamp before it, and at most as many as are missing.
    var followers = 0
    while index + followers + 1 < stamps.count, followers < Int(whole) - 1, roundedInterval(index + followers + 1) == 0
    {
      followers += 1
    }
    free = followers
    return Int(whole) - followers
  }

  private func roundedInterval(_ index: Int) -> Double {
    (Double(stamps[index] - stamps[index - 1]) / period).rounded()
  }

  /// Returns the length of a tick in nanoseconds: the mean of all intervals between half and one and a half times an estimate. The
  /// estimate is `approximate`, or the median interval if `approximate` is nil. The median alone is not exact enough to divide an
  /// interval of many ticks, because lost ticks move it.
  ///
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

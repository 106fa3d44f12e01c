import MusicalTime

// The second way to count ticks: by their gaps alone.
extension TickCounter {
  /// The arrivals from one on, read as ticks of one interval: a gap is a whole number of intervals, at least one, but for
  /// the gap between a tick and itself come twice. Within the first gap the tempo may have changed.
  struct Reading {
    var interval: Double
    let start: Int
    /// Ticks since the first of the arrivals.
    private(set) var numbers = InlineArray<12, Int64>(repeating: 0)
    /// Gaps in which ticks are missing, and three for each tick that came twice, which is rarer: the fewer, the likelier.
    private(set) var faults: Int64 = 0
    /// How far the gaps are off whole numbers of intervals, together.
    private(set) var residual = 0.0
    /// Whether every gap is a whole number of intervals, more or less.
    private(set) var isWhole = true

    /// - Parameter before: the interval before the first gap, if it is known.
    init(_ counter: borrowing TickCounter, from start: Int, interval: Double, before: Double?) {
      (self.interval, self.start) = (interval, start)
      for n in 0...start { numbers[n] = counter.arrivals[n].tick - counter.arrivals[0].tick }
      var reference = counter.arrivals[start].instant
      for n in (start + 1)..<counter.count {
        let gap = Double((counter.arrivals[n].instant - reference).count)
        if gap * TickCounter.shortest < interval {
          faults += 3
          numbers[n] = numbers[n - 1]
          continue
        }
        let ratio = gap / interval
        var ticks = max(1, ratio.rounded())
        var off = abs(ratio - ticks)
        if n == start + 1, gap > TickCounter.longestReading * interval {
          // Too long for an interval known from a few gaps.
          ticks = Double(counter.arrivals[n].tick - counter.arrivals[start].tick)
          off = 0
        } else if n == start + 1, off > 0.25, let before {
          // As many as lie between what the one tempo makes of it and what the other, or as many as the old one does.
          let other = gap / before
          let (fewest, most) = (min(ratio, other).rounded(.up), max(ratio, other).rounded(.down))
          if fewest <= most {
            ticks = max(1, other < ratio ? most : fewest)
            off = 0
          } else if abs(other - other.rounded()) <= 0.25 {
            ticks = max(1, other.rounded())
            off = abs(other - ticks)
          }
        }
        if ticks > 1 { faults += 1 }
        residual += off * interval
        // Single ticks may well be late; who takes gaps for losses has to be surer.
        if off > (ticks == 1 ? 0.4 : 0.25) { isWhole = false }
        numbers[n] = numbers[n - 1] + Int64(ticks)
        reference = counter.arrivals[n].instant
      }
    }
  }

  /// Reads what has not been confirmed by its gaps, and numbers it anew where that tells more than the line.
  ///
  /// - Parameter isStanding: whether a line has counted the newest.
  mutating func reread(isStanding: Bool, _ follower: inout TickFollower) {
    guard count >= 4 else { return }
    if isStanding {
      var (misfits, losses, chance) = (0, 0, 1.0)
      for n in 1..<count {
        if !arrivals[n].fits { misfits += 1 }
        if arrivals[n].tick - arrivals[n - 1].tick > 1 {
          losses += 1
          chance *= lossRate
        }
      }
      guard misfits >= 2 || losses >= 3 && chance <= Self.impossible else { return }
    }
    guard let reading = likeliest() else { return }
    interval = reading.interval
    var isSame = true
    for n in 1..<count where arrivals[n].tick - arrivals[0].tick != reading.numbers[n] { isSame = false }
    if isSame { return }
    revisions += 1
    let start = reading.start
    follower.reset()
    follower.add(arrivals[start].tick, at: arrivals[start].instant)
    for n in (start + 1)..<count {
      arrivals[n].tick = arrivals[0].tick + reading.numbers[n]
      arrivals[n].fits = true
      if reading.numbers[n] > reading.numbers[n - 1] { follower.add(arrivals[n].tick, at: arrivals[n].instant) }
    }
    next = arrivals[count - 1].tick + 1
  }

  /// The likeliest whole reading, from the last one confirmed if there is one, else from a later arrival that fits the line.
  private func likeliest() -> Reading? {
    for start in 0...(count - 4) where start == 0 || arrivals[start].fits {
      var best: Reading?
      func consider(_ interval: Double) {
        guard interval >= Self.shortestInterval else { return }
        let reading = Reading(self, from: start, interval: interval, before: intervalBefore)
        guard reading.isWhole else { return }
        if let best, (best.faults, best.residual) <= (reading.faults, reading.residual) { return }
        best = reading
      }
      if isPaired(from: start) { consider(gap(before: count - 1) + gap(before: count - 2)) }
      if let best { return best }
      consider(Double((arrivals[count - 1].instant - arrivals[start].instant).count) / Double(count - 1 - start))
      for n in (start + 2)..<count { consider(gap(before: n)) }
      if let best { return best }
    }
    return nil
  }

  private func gap(before n: Int) -> Double { Double((arrivals[n].instant - arrivals[n - 1].instant).count) }

  /// Whether every other gap is short, of five at least: two in a row could be chance.
  private func isPaired(from start: Int) -> Bool {
    guard count - start >= 6 else { return false }
    for n in (start + 3)..<count {
      let (a, b, c) = (gap(before: n - 2), gap(before: n - 1), gap(before: n))
      let isShort = b * (Self.shortest - 1) < min(a, c)
      let isLong = b > max(a, c) * (Self.shortest - 1)
      if !isShort, !isLong { return false }
    }
    return true
  }
}

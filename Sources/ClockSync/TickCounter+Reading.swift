import MusicalTime

// The second method: numbering ticks by their gaps alone.
extension TickCounter {
  /// An interpretation of the arrivals from `start` on as ticks with a constant interval. Each gap is a whole number of
  /// intervals, at least one, except for the gap before a duplicate. The tempo may have changed within the first gap.
  struct Reading {
    var interval: Double
    let start: Int
    /// The number of each arrival, relative to the first of the arrivals.
    private(set) var numbers = InlineArray<12, Int64>(repeating: 0)
    /// The cost: one for each gap with missing ticks, and three for each duplicate, because duplicates are rarer. The
    /// interpretation with the lowest cost is the likeliestReading.
    private(set) var cost: Int64 = 0
    /// The sum of the deviations of the gaps from whole numbers of intervals, nanoseconds.
    private(set) var residual = 0.0
    /// Whether every gap is approximately a whole number of intervals.
    private(set) var isWhole = true

    /// - Parameters:
    ///   - counter: the counter with the arrivals.
    ///   - start: the index of the first arrival to interpret.
    ///   - interval: the interval between two ticks, nanoseconds.
    ///   - before: the interval before the first gap, nanoseconds; nil if it is unknown.
    init(_ counter: borrowing TickCounter, from start: Int, interval: Double, before: Double?) {
      (self.interval, self.start) = (interval, start)
      for n in 0...start { numbers[n] = counter.arrivals[n].tick - counter.arrivals[0].tick }
      var reference = counter.arrivals[start].instant
      for n in (start + 1)..<counter.count {
        let gap = Double((counter.arrivals[n].instant - reference).count)
        if gap * TickCounter.duplicateRatio < interval {
          cost += 3
          numbers[n] = numbers[n - 1]
          continue
        }
        let ratio = gap / interval
        var ticks = max(1, ratio.rounded())
        var deviation = abs(ratio - ticks)
        if n == start + 1, gap > TickCounter.maximumReadableGap * interval {
          // The gap is too long for an interval that is estimated from a few gaps.
          ticks = Double(counter.arrivals[n].tick - counter.arrivals[start].tick)
          deviation = 0
        } else if n == start + 1, deviation > 0.25, let before {
          // The tempo changed within this gap. The number of ticks lies between the numbers for both tempos; otherwise,
          // it is the number for the old tempo.
          let other = gap / before
          let (fewest, most) = (min(ratio, other).rounded(.up), max(ratio, other).rounded(.down))
          if fewest <= most {
            ticks = max(1, other < ratio ? most : fewest)
            deviation = 0
          } else if abs(other - other.rounded()) <= 0.25 {
            ticks = max(1, other.rounded())
            deviation = abs(other - ticks)
          }
        }
        if ticks > 1 { cost += 1 }
        residual += deviation * interval
        // A single tick can be late, but a gap counts as a loss only if it is close to a whole number.
        if deviation > (ticks == 1 ? 0.4 : 0.25) { isWhole = false }
        numbers[n] = numbers[n - 1] + Int64(ticks)
        reference = counter.arrivals[n].instant
      }
    }
  }

  /// Interprets the unconfirmed arrivals by their gaps, and renumbers them if this interpretation is likelier than that
  /// of the fit.
  ///
  /// - Parameters:
  ///   - hasFit: whether the newest arrival was numbered by a fit.
  ///   - follower: the follower, which is restarted if the ticks are renumbered.
  mutating func renumberByGaps(hasFit: Bool, _ follower: inout TickFollower) {
    guard count >= 4 else { return }
    if hasFit {
      var (misfits, losses, probability) = (0, 0, 1.0)
      for n in 1..<count {
        if !arrivals[n].fits { misfits += 1 }
        if arrivals[n].tick - arrivals[n - 1].tick > 1 {
          losses += 1
          probability *= lossRate
        }
      }
      guard misfits >= 2 || losses >= 3 && probability <= Self.minimumProbability else { return }
    }
    guard let reading = likeliestReading() else { return }
    interval = reading.interval
    var isUnchanged = true
    for n in 1..<count where arrivals[n].tick - arrivals[0].tick != reading.numbers[n] { isUnchanged = false }
    if isUnchanged { return }
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

  /// The likeliestReading interpretation in which every gap is whole. It starts at the last confirmed arrival if there
  /// is one, otherwise at a later arrival that agrees with the fit.
  private func likeliestReading() -> Reading? {
    for start in 0...(count - 4) where start == 0 || arrivals[start].fits {
      var best: Reading?
      func consider(_ interval: Double) {
        guard interval >= Self.minimumInterval else { return }
        let reading = Reading(self, from: start, interval: interval, before: intervalBefore)
        guard reading.isWhole else { return }
        if let best, (best.cost, best.residual) <= (reading.cost, reading.residual) { return }
        best = reading
      }
      if hasAlternatingGaps(from: start) { consider(gap(before: count - 1) + gap(before: count - 2)) }
      if let best { return best }
      consider(Double((arrivals[count - 1].instant - arrivals[start].instant).count) / Double(count - 1 - start))
      for n in (start + 2)..<count { consider(gap(before: n)) }
      if let best { return best }
    }
    return nil
  }

  private func gap(before n: Int) -> Double { Double((arrivals[n].instant - arrivals[n - 1].instant).count) }

  /// Whether short and long gaps alternate, over at least five gaps: two in a row could be probability.
  private func hasAlternatingGaps(from start: Int) -> Bool {
    guard count - start >= 6 else { return false }
    for n in (start + 3)..<count {
      let (a, b, c) = (gap(before: n - 2), gap(before: n - 1), gap(before: n))
      let isShort = b * (Self.duplicateRatio - 1) < min(a, c)
      let isLong = b > max(a, c) * (Self.duplicateRatio - 1)
      if !isShort, !isLong { return false }
    }
    return true
  }
}

import MusicalTime

// Numbering ticks by the gaps between them: the second method of ``TickCounter``.
extension TickCounter {
  /// An interpretation of the arrivals from `start` on as ticks with a constant interval. A gap is the time between an
  /// arrival and the last arrival before it that is not a duplicate. Each gap is rounded to a whole number of
  /// intervals, at least one; only the gap before a duplicate is zero intervals. The tempo may have changed within the
  /// first gap.
  struct Interpretation {
    /// The cost of a duplicate. Duplicates are rarer than lost ticks.
    private static let duplicateCost: Int64 = 3
    /// The largest difference between a gap without lost ticks and one interval, in intervals. It is large, because a
    /// single tick can be late.
    private static let toleranceOfOneInterval = 0.4
    /// The largest difference between a gap with lost ticks and a whole number of intervals, in intervals. It is small,
    /// because a gap counts as a loss only if it is close to a whole number.
    private static let toleranceOfLoss = 0.25

    /// The interval between two ticks, nanoseconds.
    var interval: Double
    /// The index of the first arrival that is interpreted.
    let start: Int
    /// The tick number of each arrival, relative to that of the first element of ``TickCounter/arrivals``.
    private(set) var numbers = InlineArray<12, Int64>(repeating: 0)
    /// The cost: one for each gap with missing ticks, and ``duplicateCost`` for each duplicate. The interpretation with
    /// the lowest cost is the likeliest.
    private(set) var cost: Int64 = 0
    /// The sum of the deviations of the gaps from whole numbers of intervals, nanoseconds.
    private(set) var residual = 0.0
    /// Whether every gap is approximately a whole number of intervals.
    private(set) var isWhole = true

    /// - Parameters:
    ///   - counter: the counter with the arrivals.
    ///   - start: the index of the first arrival to interpret.
    ///   - interval: the interval between two ticks, nanoseconds.
    ///   - intervalBefore: the interval before the first gap, nanoseconds; nil if it is unknown.
    init(_ counter: borrowing TickCounter, from start: Int, interval: Double, intervalBefore: Double?) {
      (self.interval, self.start) = (interval, start)
      for n in 0...start { numbers[n] = counter.arrivals[n].tick - counter.arrivals[0].tick }
      // The instant of the last arrival that is not a duplicate.
      var reference = counter.arrivals[start].instant
      for n in (start + 1)..<counter.count {
        let gap = Double((counter.arrivals[n].instant - reference).count)
        if gap * TickCounter.duplicateRatio < interval {
          cost += Self.duplicateCost
          numbers[n] = numbers[n - 1]
          continue
        }
        let ratio = gap / interval
        var ticks = max(1, ratio.rounded())
        var deviation = abs(ratio - ticks)
        if n == start + 1, gap > TickCounter.maximumReadableGap * interval {
          // The interval is estimated from a few gaps. It is not accurate enough to find the number of ticks in such a long
          // gap. The gap keeps its present number of ticks.
          ticks = Double(counter.arrivals[n].tick - counter.arrivals[start].tick)
          deviation = 0
        } else if n == start + 1, deviation > Self.toleranceOfLoss, let intervalBefore {
          // The tempo changed within this gap. The true length of the gap in intervals therefore lies between `ratio` (the
          // whole gap at the new tempo) and `oldRatio` (the whole gap at the old tempo). The number of ticks is a whole
          // number between these two. If there are several, the one nearest to `ratio` is used. If there is none, the rounded
          // `oldRatio` is used, provided that `oldRatio` is nearly whole.
          let oldRatio = gap / intervalBefore
          let (fewest, most) = (min(ratio, oldRatio).rounded(.up), max(ratio, oldRatio).rounded(.down))
          if fewest <= most {
            ticks = max(1, oldRatio < ratio ? most : fewest)
            deviation = 0
          } else if abs(oldRatio - oldRatio.rounded()) <= Self.toleranceOfLoss {
            ticks = max(1, oldRatio.rounded())
            deviation = abs(oldRatio - ticks)
          }
        }
        if ticks > 1 { cost += 1 }
        residual += deviation * interval
        if deviation > (ticks == 1 ? Self.toleranceOfOneInterval : Self.toleranceOfLoss) { isWhole = false }
        numbers[n] = numbers[n - 1] + Int64(ticks)
        reference = counter.arrivals[n].instant
      }
    }
  }

  /// If there is no fit, or the fit is doubtful, interprets the unconfirmed arrivals by their gaps. Renumbers the
  /// arrivals if an interpretation exists in which every gap is whole. The fit is doubtful in two cases:
  ///
  /// - At least two arrivals disagree with the fit.
  /// - According to the fit, ticks were lost in at least three gaps, and so many losses are improbable
  ///   (``minimumProbability``).
  ///
  /// - Parameters:
  ///   - hasFit: whether the newest arrival was numbered by a fit.
  ///   - follower: the follower, which is restarted if the ticks are renumbered.
  mutating func renumberByGaps(hasFit: Bool, _ follower: inout TickFollower) {
    // An interpretation needs at least three gaps.
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
    guard let interpretation = likeliestInterpretation() else { return }
    interval = interpretation.interval
    var isUnchanged = true
    for n in 1..<count where arrivals[n].tick - arrivals[0].tick != interpretation.numbers[n] {
      isUnchanged = false
    }
    if isUnchanged { return }
    revisions += 1
    let start = interpretation.start
    follower.reset()
    follower.add(arrivals[start].tick, at: arrivals[start].instant)
    for n in (start + 1)..<count {
      arrivals[n].tick = arrivals[0].tick + interpretation.numbers[n]
      // The new fit will be computed from these arrivals, so they count as agreeing with the fit.
      arrivals[n].fits = true
      if interpretation.numbers[n] > interpretation.numbers[n - 1] {
        follower.add(arrivals[n].tick, at: arrivals[n].instant)
      }
    }
    next = arrivals[count - 1].tick + 1
  }

  /// The likeliest interpretation in which every gap is whole; nil if there is none. It starts at the first arrival in
  /// ``arrivals``, or, if no such interpretation starts there, at a later arrival that agrees with the fit. At least
  /// three gaps follow its start.
  private func likeliestInterpretation() -> Interpretation? {
    for start in 0...(count - 4) where start == 0 || arrivals[start].fits {
      var best: Interpretation?
      func consider(_ interval: Double) {
        guard interval >= Self.minimumInterval else { return }
        let candidate = Interpretation(self, from: start, interval: interval, intervalBefore: intervalBefore)
        guard candidate.isWhole else { return }
        if let best, (best.cost, best.residual) <= (candidate.cost, candidate.residual) { return }
        best = candidate
      }
      // If short and long gaps alternate, each tick arrives twice. One interval is then a short plus a long gap.
      if hasAlternatingGaps(from: start) { consider(gap(before: count - 1) + gap(before: count - 2)) }
      if let best { return best }
      // The candidates are the mean gap and each single gap except the first, in which the tempo may have changed.
      consider(Double((arrivals[count - 1].instant - arrivals[start].instant).count) / Double(count - 1 - start))
      for n in (start + 2)..<count { consider(gap(before: n)) }
      if let best { return best }
    }
    return nil
  }

  /// The gap between the arrivals n - 1 and n, nanoseconds.
  private func gap(before n: Int) -> Double { Double((arrivals[n].instant - arrivals[n - 1].instant).count) }

  /// Whether short and long gaps alternate, over at least five gaps: fewer could be chance.
  private func hasAlternatingGaps(from start: Int) -> Bool {
    guard count - start >= 6 else { return false }
    // A short gap is less than 1 / `duplicateRatio` of the interval, which is the sum of a short and a long gap. It is
    // therefore less than 1 / (`duplicateRatio` - 1) of the long gap.
    for n in (start + 3)..<count {
      let (a, b, c) = (gap(before: n - 2), gap(before: n - 1), gap(before: n))
      let isShort = b * (Self.duplicateRatio - 1) < min(a, c)
      let isLong = b > max(a, c) * (Self.duplicateRatio - 1)
      if !isShort, !isLong { return false }
    }
    return true
  }
}

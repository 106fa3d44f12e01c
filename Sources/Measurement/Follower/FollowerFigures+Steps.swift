extension FollowerFigures {
  /// The responses to the tempo steps. A step is left out if one of its two sections was not sent completely, or if there are too few
  /// sounds.
  var steps: [FollowerReport.Step] {
    zip(sections, sections.dropFirst()).compactMap { before, after in
      guard before.period != after.period, section(before.part) != nil, section(after.part) != nil else { return nil }
      return step(from: before, to: after)
    }
  }

  /// The number of tempo steps in the stimulus.
  var stepCount: Int { zip(sections, sections.dropFirst()).count { $0.period != $1.period } }

  /// Returns the response to the tempo step between two sections; nil with too few sounds.
  private func step(from before: FollowerStimulus.Section, to after: FollowerStimulus.Section) -> FollowerReport.Step? {
    guard let tolerance, let start = median(Self.settled(before.ticks)) else { return nil }
    let sounds = sounds(after.ticks)
    guard let peak = sounds.max(by: { abs($0.error - start) < abs($1.error - start) }) else { return nil }
    var step = FollowerReport.Step(
      fromTempo: 60e9 / before.period / 24, toTempo: 60e9 / after.period / 24, peak: peak.error - start)
    guard let final = finalError(of: after, tolerance: tolerance) else { return step }
    // The device has settled at the first sound after the last sound outside the tolerance. If the last sound of all is outside, `next`
    // is nil.
    let outside = sounds.last { abs($0.error - final) > tolerance }
    let next = outside.map { last in sounds.first { $0.tick > last.tick } } ?? sounds.first
    // The final value is calculated from the last third of the section. If the phase error comes within the tolerance only in this third,
    // the device has not settled.
    guard let next, next.tick < Self.settled(after.ticks).lowerBound else { return step }
    step.settling = outside == nil ? 0 : Double(record.ticks[next.tick].ideal) - after.start
    step.lag = final - start
    guard abs(step.peak) > tolerance else {
      step.overshoot = 0
      return step
    }
    let direction = step.peak < 0 ? -1.0 : 1.0
    // The largest deviation from the final phase error after the peak, on the side opposite to the peak.
    let opposite = sounds.lazy.filter { $0.tick > peak.tick }.map { (final - $0.error) * direction }.max() ?? 0
    step.overshoot = opposite > tolerance ? opposite : 0
    return step
  }

  /// Returns the phase error at which the device has settled: the median of the last third of `section`.
  ///
  /// Returns nil if the phase error still changes in this third (the medians of its two halves differ by more than `tolerance`), or if
  /// there are too few sounds.
  private func finalError(of section: FollowerStimulus.Section, tolerance: Double) -> Double? {
    let settled = Self.settled(section.ticks)
    let middle = settled.lowerBound + settled.count / 2
    guard let final = median(settled), let first = median(settled.lowerBound..<middle),
      let second = median(middle..<settled.upperBound), abs(first - second) <= tolerance
    else { return nil }
    return final
  }

  /// The effects of the lost ticks. Empty if the grid lines are fewer than three ticks apart: a shift by one tick is then half a grid
  /// interval or more, and cannot be told from a missing sound.
  var losses: [FollowerReport.Loss] {
    guard grid >= 3, let section = sections.last, section.part == .losses else { return [] }
    let stimulus = record.header.stimulus
    return stimulus.lostTicks.enumerated().compactMap { index, tick in
      let (before, after) = (
        stimulus.lossWindow(index, in: section), stimulus.lossWindow(index + 1, in: section)
      )
      // A window counts as complete if fewer than 24 ticks (a quarter note) are missing at its end. In the second half of a window, the
      // device should have settled.
      guard record.count > after.upperBound - 24,
        let start = median(before.lowerBound + before.count / 2..<before.upperBound),
        let end = median(after.lowerBound + after.count / 2..<after.upperBound),
        let peak = sounds(tick..<after.upperBound).max(by: { abs($0.error - start) < abs($1.error - start) })
      else { return nil }
      return FollowerReport.Loss(
        tick: tick, shift: end - start, ticks: (end - start) / section.period, peak: peak.error - start)
    }
  }
}

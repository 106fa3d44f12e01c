import MusicalTime

/// Calculates the figures of a ``FollowerReport`` from the phase errors of the sounds of a device
/// (``SoundPlacement``: the instant of a sound minus the ideal instant of its tick). The article <doc:FollowerFigures>
/// defines each figure.
struct FollowerFigures {
  let record: StimulusRecord
  let placement: SoundPlacement
  /// The number of ticks between two grid lines (``SoundPlacement``).
  let grid: Int
  /// The sections of the stimulus.
  let sections: [FollowerStimulus.Section]

  /// The fewest sounds from which a median, a tolerance, or a block of the jackknife is calculated.
  static let fewestSounds = 4
  /// The smallest standard error of a slope in parts per million. A smaller error, of sounds without noise, is replaced by this value.
  private static let smallestDriftError = 1e-3
  /// The number of blocks of the jackknife that calculates the standard error of the jitter transfer.
  private static let blocks = 10

  init(_ record: StimulusRecord, _ placement: SoundPlacement, grid: Int) {
    (self.record, self.placement, self.grid) = (record, placement, grid)
    sections = record.header.stimulus.sections
  }

  /// Returns the section of a part; nil if the stimulus does not contain the part, or if the part was not sent completely.
  func section(_ part: FollowerStimulus.Part) -> FollowerStimulus.Section? {
    // A part counts as complete if fewer than 24 ticks (a quarter note) are missing at its end.
    sections.first { $0.part == part && record.count > $0.ticks.upperBound - 24 }
  }

  /// Returns the sounds whose ticks are in a range.
  func sounds(_ ticks: Range<Int>) -> ArraySlice<SoundPlacement.Sound> {
    let sounds = placement.sounds
    let first = sounds.firstIndex(bySearching: { $0.tick >= ticks.lowerBound })
    let end = sounds.firstIndex(bySearching: { $0.tick >= ticks.upperBound })
    return sounds[first..<end]
  }

  /// Returns the last third of a range of ticks. The device should have settled in this third.
  static func settled(_ ticks: Range<Int>) -> Range<Int> {
    ticks.upperBound - ticks.count / 3..<ticks.upperBound
  }

  /// Returns the median phase error of the sounds in a range of ticks, in nanoseconds; nil with fewer than ``fewestSounds``.
  func median(_ ticks: Range<Int>) -> Double? {
    let errors = sounds(ticks).map(\.error).sorted()
    return errors.count >= Self.fewestSounds ? errors[Distribution.rank(0.5, of: errors.count) - 1] : nil
  }

  /// The phase errors of the steady part in nanoseconds, without its first third, in which the device may still settle.
  var steady: [Double] {
    guard let section = section(.steady) else { return [] }
    return sounds(section.ticks.lowerBound + section.ticks.count / 3..<section.ticks.upperBound).map(\.error)
  }

  /// Returns the jitter of the input of the device, in nanoseconds: for each sent tick of a range, the instant at which the tick was sent
  /// minus its ideal instant.
  func input(_ ticks: Range<Int>) -> [Double] {
    ticks.compactMap { tick in
      record.sent[tick].map { Double($0 - record.header.origin - record.ticks[tick].ideal) }
    }
  }

  /// The largest deviation from the final phase error at which the device counts as settled, in nanoseconds: 1.5 times the largest
  /// deviation of the steady part from its median, and at least 1 ms. Nil if the steady part has too few sounds.
  var tolerance: Double? {
    guard let distribution = Distribution(steady), distribution.count >= Self.fewestSounds else { return nil }
    let largest = max(distribution.maximum - distribution.p50, distribution.p50 - distribution.minimum)
    return max(1.5 * largest, 1e6)
  }

  /// The drift of the clock of the recorder (the machine that recorded the sounds) against the clock of the sender, in parts per million,
  /// positive if the recorder is fast. Nil with too few sounds.
  ///
  /// A drift makes the phase errors change at a constant rate. The drift is the mean of this rate in the steady part and in the part with
  /// jitter, weighted by the inverse squares of the standard errors for independent phase errors.
  ///
  /// If the rates of both parts differ by more than their standard errors, the rate was not constant. The excess of the squared difference is
  /// then added to the variance of each rate (R. Paule and J. Mandel, "Consensus values and weighting factors", Journal of Research of the
  /// National Bureau of Standards 87 (5), 1982; here without the division by two, because a single difference shows the variance inexactly).
  var drift: ClockReport.Estimate? {
    var (weights, sum) = (0.0, 0.0)
    // The rates, and their standard errors; nil if an error is unknown.
    var rates: [(slope: Double, weight: Double, error: Double?)] = []
    for part in [FollowerStimulus.Part.steady, .jitter] {
      guard let section = section(part) else { continue }
      var fit = DriftFit()
      // In the first third of the steady part, the device may still settle.
      let first = part == .steady ? section.ticks.lowerBound + section.ticks.count / 3 : section.ticks.lowerBound
      for sound in sounds(first..<section.ticks.upperBound) {
        fit.append(sound.error, at: Instant(nanoseconds: Int64(sound.instant)))
      }
      guard let slope = fit.partsPerMillion, let error = fit.independentError else { continue }
      // Without the lower limit, sounds without noise would have an infinite weight.
      let weight = 1 / max(error * error, Self.smallestDriftError * Self.smallestDriftError)
      weights += weight
      sum += weight * slope
      rates.append((slope, weight, fit.error.map { max($0.standardError, Self.smallestDriftError) }))
    }
    guard weights > 0 else { return nil }
    let errors = rates.compactMap(\.error)
    let difference = rates.count == 2 ? rates[0].slope - rates[1].slope : 0
    let excess = max(difference * difference - errors.reduce(0) { $0 + $1 * $1 }, 0)
    let squares = zip(rates, errors).reduce(0) { $0 + $1.0.weight * $1.0.weight * ($1.1 * $1.1 + excess) }
    return ClockReport.Estimate(
      value: sum / weights, standardError: errors.count == rates.count ? squares.squareRoot() / weights : nil,
      interval: nil)
  }

  /// The jitter transfer: how much of the jitter of the clock appears in the sounds. Nil without a complete part with jitter, or with too
  /// few sounds.
  var transfer: FollowerReport.Transfer? {
    let steady = self.steady
    guard let section = section(.jitter), let noise = Distribution(steady)?.standardDeviation else { return nil }
    // Returns the jitter of the clock (input) and of the sounds (output) as standard deviations, and the square of the transfer. `noise`
    // is the jitter of the device itself. The ticks `omitted` are left out. By chance, the square can be negative.
    func figures(
      without omitted: Range<Int>, noise: Double
    ) -> (input: Double, output: Double, square: Double)? {
      let ranges = [section.ticks.lowerBound..<omitted.lowerBound, omitted.upperBound..<section.ticks.upperBound]
      guard let input = Distribution(ranges.flatMap { self.input($0) })?.standardDeviation, input > 0,
        let output = Distribution(ranges.flatMap { sounds($0).map(\.error) })?.standardDeviation
      else { return nil }
      // The jitter of the device itself is independent of the jitter of the clock, so the squares add.
      return (input, output, (output * output - noise * noise) / (input * input))
    }
    // On average, a block of the jackknife below must contain at least `fewestSounds` sounds. `all` omits no tick.
    guard sounds(section.ticks).count >= Self.fewestSounds * Self.blocks,
      let all = figures(without: section.ticks.lowerBound..<section.ticks.lowerBound, noise: noise)
    else { return nil }
    // The standard error comes from a jackknife over blocks, because successive phase errors depend on each other. One jackknife omits
    // blocks of the part with jitter. Another omits blocks of the steady part, from which `noise` is calculated. The sum of both variances
    // is the variance of the square of the transfer.
    func block(_ number: Int, of range: Range<Int>) -> Range<Int> {
      let (first, count) = (range.lowerBound, range.count)
      return first + number * count / Self.blocks..<first + (number + 1) * count / Self.blocks
    }
    let jitterParts = (0..<Self.blocks).compactMap { number in
      figures(without: block(number, of: section.ticks), noise: noise)?.square
    }
    let steadyParts = (0..<Self.blocks).compactMap { number -> Double? in
      let omitted = block(number, of: 0..<steady.count)
      let kept = steady[..<omitted.lowerBound] + steady[omitted.upperBound...]
      guard let noise = Distribution(Array(kept))?.standardDeviation else { return nil }
      return (all.output * all.output - noise * noise) / (all.input * all.input)
    }
    // A standard error from ten blocks is uncertain itself. With the quantile of Student's distribution, 1.96 standard errors are the 95 %
    // interval.
    let quantile = BlockJackknife.quantile(Self.blocks - 1) / SlopeError.normalQuantile
    let squareError =
      quantile * (Self.jackknifeVariance(jitterParts) + Self.jackknifeVariance(steadyParts)).squareRoot()
    let ratio = max(all.square, 0).squareRoot()
    // The standard error of a square root is the standard error of the square, divided by twice the root. For a root near 0, this quotient
    // would be too large. The result is therefore at most the square root of the standard error of the square.
    let standardError = ratio > 0 ? min(squareError / (2 * ratio), squareError.squareRoot()) : squareError.squareRoot()
    return FollowerReport.Transfer(input: all.input, output: all.output, ratio: ratio, standardError: standardError)
  }

  /// Returns the variance of an estimate by the jackknife (B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982,
  /// section 3).
  ///
  /// - Parameter parts: the estimates, each from all data without one block.
  private static func jackknifeVariance(_ parts: [Double]) -> Double {
    guard parts.count > 1 else { return 0 }
    let mean = parts.reduce(0, +) / Double(parts.count)
    let squares = parts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return Double(parts.count - 1) / Double(parts.count) * squares
  }

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

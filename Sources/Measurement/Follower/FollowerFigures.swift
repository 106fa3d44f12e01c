import MusicalTime

/// Calculates the figures of a device from the phase errors of its sounds. The article <doc:FollowerFigures> defines each
/// figure.
struct FollowerFigures {
  let record: StimulusRecord
  let placement: SoundPlacement
  /// The number of ticks between two lines of the grid.
  let grid: Int
  let sections: [FollowerStimulus.Section]

  /// The fewest sounds from which a figure follows.
  static let fewestSounds = 4
  /// The smallest standard error of a slope in parts per million.
  private static let smallestDriftError = 1e-3
  /// The number of blocks of the jackknife.
  private static let blocks = 10

  init(_ record: StimulusRecord, _ placement: SoundPlacement, grid: Int) {
    (self.record, self.placement, self.grid) = (record, placement, grid)
    sections = record.header.stimulus.sections
  }

  /// Returns the section of a part; nil if the stimulus lacks it or did not reach its end.
  func section(_ part: FollowerStimulus.Part) -> FollowerStimulus.Section? {
    // The very last ticks may be lost ones.
    sections.first { $0.part == part && record.count > $0.ticks.upperBound - 24 }
  }

  /// Returns the sounds on some ticks.
  func sounds(_ ticks: Range<Int>) -> ArraySlice<SoundPlacement.Sound> {
    let sounds = placement.sounds
    func first(_ tick: Int) -> Int {
      var (low, high) = (0, sounds.count)
      while low < high {
        let middle = (low + high) / 2
        if sounds[middle].tick < tick { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return sounds[first(ticks.lowerBound)..<first(ticks.upperBound)]
  }

  /// Returns the part of a range of ticks in which a device has settled: the last third.
  static func settled(_ ticks: Range<Int>) -> Range<Int> {
    ticks.upperBound - ticks.count / 3..<ticks.upperBound
  }

  /// Returns the median phase error on some ticks; nil with too few sounds.
  func median(_ ticks: Range<Int>) -> Double? {
    let errors = sounds(ticks).map(\.error).sorted()
    return errors.count >= Self.fewestSounds ? errors[Distribution.rank(0.5, of: errors.count) - 1] : nil
  }

  /// The phase errors of the steady part, without its first third.
  var steady: [Double] {
    guard let section = section(.steady) else { return [] }
    return sounds(section.ticks.lowerBound + section.ticks.count / 3..<section.ticks.upperBound).map(\.error)
  }

  /// The instants at which ticks were sent minus their ideal instants, nanoseconds.
  func input(_ ticks: Range<Int>) -> [Double] {
    ticks.compactMap { tick in
      record.sent[tick].map { Double($0 - record.header.origin - record.ticks[tick].ideal) }
    }
  }

  /// The band around the final phase error within which a device counts as settled: 1.5 times the largest deviation of the
  /// steady part from its median, and at least 1 ms. Nil without a steady part.
  var tolerance: Double? {
    guard let distribution = Distribution(steady), distribution.count >= Self.fewestSounds else { return nil }
    let largest = max(distribution.maximum - distribution.p50, distribution.p50 - distribution.minimum)
    return max(1.5 * largest, 1e6)
  }

  /// The drift of the recorder against the clock in parts per million: the mean of the slopes of the phase errors of the
  /// steady part and of the part with jitter, weighted by the squares of their standard errors. Nil with too few sounds.
  var drift: ClockReport.Estimate? {
    var (weights, sum) = (0.0, 0.0)
    for part in [FollowerStimulus.Part.steady, .jitter] {
      guard let section = section(part) else { continue }
      var fit = DriftFit()
      let first = part == .steady ? section.ticks.lowerBound + section.ticks.count / 3 : section.ticks.lowerBound
      for sound in sounds(first..<section.ticks.upperBound) {
        fit.append(sound.error, at: Instant(nanoseconds: Int64(sound.instant)))
      }
      guard let slope = fit.partsPerMillion, let error = fit.standardError else { continue }
      // Sounds without any noise would have an infinite weight.
      let weight = 1 / max(error * error, Self.smallestDriftError * Self.smallestDriftError)
      weights += weight
      sum += weight * slope
    }
    return weights > 0
      ? ClockReport.Estimate(value: sum / weights, standardError: 1 / weights.squareRoot()) : nil
  }

  /// The jitter transfer; nil without a part with jitter.
  var transfer: FollowerReport.Transfer? {
    let steady = self.steady
    guard let section = section(.jitter), let noise = Distribution(steady)?.standardDeviation else { return nil }
    /// The jitter of the input, of the sounds, and the square of the transfer, without the ticks `omitted`, for a device with jitter
    /// `noise` of its own. By chance, the square can be negative.
    func figures(
      without omitted: Range<Int>, noise: Double
    ) -> (input: Double, output: Double, square: Double)? {
      let ranges = [section.ticks.lowerBound..<omitted.lowerBound, omitted.upperBound..<section.ticks.upperBound]
      guard let input = Distribution(ranges.flatMap { self.input($0) })?.standardDeviation, input > 0,
        let output = Distribution(ranges.flatMap { sounds($0).map(\.error) })?.standardDeviation
      else { return nil }
      // The device has jitter of its own, which is independent of that of the clock.
      return (input, output, (output * output - noise * noise) / (input * input))
    }
    guard sounds(section.ticks).count >= 4 * Self.blocks,
      let all = figures(without: section.ticks.lowerBound..<section.ticks.lowerBound, noise: noise)
    else { return nil }
    // The jackknife over blocks, because successive phase errors depend on each other: over blocks of the part with jitter, and over
    // blocks of the steady part, from which the noise comes. Both variances add.
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
    let squareError = (Self.jackknifeVariance(jitterParts) + Self.jackknifeVariance(steadyParts)).squareRoot()
    let ratio = max(all.square, 0).squareRoot()
    // The error of the root is that of the square divided by twice the root. Near 0, it is at most the root of the error.
    let standardError = ratio > 0 ? min(squareError / (2 * ratio), squareError.squareRoot()) : squareError.squareRoot()
    return FollowerReport.Transfer(input: all.input, output: all.output, ratio: ratio, standardError: standardError)
  }

  /// The variance of an estimate, from its values without one block each (B. Efron, "The Jackknife, the Bootstrap and Other Resampling
  /// Plans", 1982, section 3).
  private static func jackknifeVariance(_ parts: [Double]) -> Double {
    guard parts.count > 1 else { return 0 }
    let mean = parts.reduce(0, +) / Double(parts.count)
    let squares = parts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return Double(parts.count - 1) / Double(parts.count) * squares
  }
}

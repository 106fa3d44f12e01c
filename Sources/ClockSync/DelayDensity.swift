/// The density of the delays of packets, learned from the packets, and the correction that each delay gives to an estimate.
///
/// The input is the residual of a packet: its delay minus the expected delay. A wrong estimate of the offset makes all residuals of one
/// direction too large, and those of the other direction too small. How much a residual says about such an error depends on the
/// density f of the delays: where f is steep, a shift changes the probability of a residual much; where f is flat, not at all. The
/// derivative of -ln f, the score, measures this. The correction by a residual is its score divided by the mean slope of the score. No
/// estimate of a location has a smaller variance than the mean of these corrections (R. A. Fisher, 1925). If f is normal, the score is a
/// straight line, and the correction is the residual itself. If f has a steep edge and a long tail, the packets at the edge count most, and
/// those in the tail count little. C. Stone ("Adaptive maximum likelihood estimators of a location parameter", 1975) and P. J. Bickel ("On
/// adaptive estimation", 1982) showed that nothing is lost, with many packets, if f is estimated from the same packets.
///
/// The density is a histogram, smoothed by a kernel. A narrow kernel is used below the mode, where most delays have a steep edge, and a wider one
/// above it, where the tail is long and thin. Below the mode the score is made monotone: the shorter a delay, the more it
/// corrects. This removes most of the noise of the narrow kernel, and gives packets that are faster than all others the score of the edge.
///
/// The packets of both directions share one histogram. If each direction had its own, each could follow its own packets to any place: the
/// residuals would say nothing about the offset. With a common one, the offset is where both directions have the same distribution.
/// Residuals are in nanoseconds.
struct DelayDensity: Sendable {
  /// The number of bins of the histogram.
  static let binCount = 128
  /// The position of the residual 0 in the histogram, in bins. Above it is more room, for the tail.
  private static let origin = 48.0
  /// The interquartile range for which the width of the bins is chosen, in bins.
  private static let normalSpread = 11.0
  /// The interquartile ranges for which the width of the bins remains the same.
  private static let possibleSpreads = 7.0...16.0
  /// The number of packets after which the score is learned again.
  private static let learningInterval = 100.0
  /// The number of packets and the time in seconds after which a packet has lost most of its weight.
  private static let (memoryPackets, memoryTime) = (1500.0, 60.0)
  /// The fraction of the packets of an interval that may lie outside the histogram.
  private static let maximumOutside = 1.0 / 3
  /// The score fits the packets from which it was learned better than later ones. The variance is larger by this number of packets, divided
  /// by the number of packets in the histogram.
  private static let reserve = 15.0
  /// An addition to the smoothed number of packets in a bin, which keeps the score finite in empty bins.
  private static let floor = 0.1

  /// The number of packets in each bin. A packet is shared between the two bins next to its residual.
  private var counts = [Double](repeating: 0, count: binCount)
  /// The score in each bin, per bin, minus the mean of all packets.
  private var scores = [Double](repeating: 0, count: binCount)
  /// The width of a bin, nanoseconds.
  private var width = 1.0
  /// The sum of ``counts``.
  private var total = 0.0
  /// The packets since the score was learned: in and outside of the histogram.
  private var (inside, outside) = (0.0, 0.0)
  /// The moment at which the score was last learned, seconds.
  private var learningTime = 0.0
  /// The mean slope of the score, per nanosecond.
  private var slope = 0.0
  /// The variance of the correction by one packet, square nanoseconds; nil if nothing has been learned.
  private(set) var variance: Double?
  /// Whether so many residuals lie outside the histogram that it must be discarded.
  private(set) var hasChanged = false

  /// Discards everything.
  mutating func removeAll() { begin(width: 1, at: 0) }

  /// Learns the density from at least two residuals.
  ///
  /// - Parameters:
  ///   - count: the number of residuals.
  ///   - scale: the approximate size of the residuals, nanoseconds.
  ///   - moment: the present moment, seconds.
  ///   - residual: returns the residual with the given index.
  mutating func learn(_ count: Int, scale: Double, at moment: Double, residual: (Int) -> Double) {
    var width = scale * 1.35 / Self.normalSpread
    for _ in 0..<6 {
      begin(width: width, at: moment)
      for n in 0..<count { addToHistogram(residual(n)) }
      let spread = spread
      if Self.possibleSpreads.contains(spread) { break }
      width *= min(max(spread / Self.normalSpread, 0.25), 4)
    }
    learn(at: moment)
    hasChanged = false
  }

  /// Adds a residual, and learns the score again if there are enough new ones.
  mutating func add(_ residual: Double, at moment: Double) {
    addToHistogram(residual)
    guard inside + outside >= Self.learningInterval else { return }
    hasChanged = outside > Self.maximumOutside * Self.learningInterval
    let spread = spread
    if !Self.possibleSpreads.contains(spread) { changeWidth(by: min(max(spread / Self.normalSpread, 0.25), 4)) }
    learn(at: moment)
  }

  /// The correction by a packet, in the direction of the residual, nanoseconds.
  func correction(by residual: Double) -> Double {
    let position = residual / width + Self.origin
    guard position >= 0 else { return scores[0] / slope }
    guard position < Double(Self.binCount - 1) else { return scores[Self.binCount - 1] / slope }
    let bin = Int(position)
    let share = position - Double(bin)
    return (scores[bin] * (1 - share) + scores[bin + 1] * share) / slope
  }

  /// Begins an empty histogram with bins of `width` nanoseconds.
  private mutating func begin(width: Double, at moment: Double) {
    for n in 0..<Self.binCount { counts[n] = 0 }
    (self.width, total, inside, outside, learningTime) = (max(width, 1), 0, 0, 0, moment)
    (slope, variance, hasChanged) = (0, nil, false)
  }

  private mutating func addToHistogram(_ residual: Double) {
    if count(residual / width + Self.origin, weight: 1) { inside += 1 } else { outside += 1 }
  }

  /// Counts packets at a position in bins. Returns false if the position is outside the histogram.
  @discardableResult private mutating func count(_ position: Double, weight: Double) -> Bool {
    guard position >= 0, position < Double(Self.binCount - 1) else { return false }
    let bin = Int(position)
    let share = position - Double(bin)
    counts[bin] += weight * (1 - share)
    counts[bin + 1] += weight * share
    total += weight
    return true
  }

  /// Multiplies the width of the bins, and distributes the packets of each bin evenly over the place that it had.
  private mutating func changeWidth(by factor: Double) {
    var old = InlineArray<128, Double>(repeating: 0)
    for n in 0..<Self.binCount { (old[n], counts[n]) = (counts[n], 0) }
    width *= factor
    total = 0
    for n in 0..<Self.binCount where old[n] > 0 {
      for part in 0..<8 {
        let place = Double(n) + (Double(part) - 3.5) / 8
        count((place - Self.origin) / factor + Self.origin, weight: old[n] / 8)
      }
    }
  }

  /// The interquartile range, in bins.
  private var spread: Double { quantile(0.75) - quantile(0.25) }

  /// The position below which the given fraction of the packets lies, in bins.
  private func quantile(_ fraction: Double) -> Double {
    var remaining = fraction * total
    for n in 0..<Self.binCount {
      if remaining <= counts[n] { return Double(n) + (counts[n] > 0 ? remaining / counts[n] : 0) }
      remaining -= counts[n]
    }
    return Double(Self.binCount)
  }

  /// Lets the older packets lose weight, and computes the score.
  private mutating func learn(at moment: Double) {
    let age = max(0, moment - learningTime)
    let kept = min(1, Self.memoryPackets / max(total, 1)) * Self.memoryTime / (Self.memoryTime + age)
    (learningTime, inside, outside, total) = (moment, 0, 0, total * kept)
    for n in 0..<Self.binCount { counts[n] *= kept }
    // The kernel becomes narrower with the number of packets.
    let radius = total < 200 ? 4 : total < 1000 ? 3 : 2
    var smoothed = SmoothedHistogram()
    smoothed.smooth(counts, radius: radius, end: Self.binCount)
    let mode = Self.setScores(&scores, aboveModeOf: smoothed.values.span)
    // Up to the mode, the narrow kernel needs no more than one bin above it.
    smoothed.smooth(counts, radius: radius - 1, end: min(mode + 2, Self.binCount))
    Self.setScores(&scores, upTo: mode, of: smoothed.values.span)
    let (square, rise) = Self.center(&scores, counts, total: total)
    // The variance of an M-estimate is the mean square of its score divided by the square of the mean slope (P. J. Huber, 1964).
    slope = rise / (total * width)
    let error = square * (total + Self.reserve) / (rise * rise) * width * width
    variance = rise > 0 ? max(error, KalmanClock.minimumVariance) : nil
  }

  // The following functions are static and get spans, because a function that gets an inline array by value copies it at each call.

  /// Sets the scores from the mode of `density` on.
  ///
  /// - Returns: the mode.
  private static func setScores(_ scores: inout [Double], aboveModeOf density: Span<Double>) -> Int {
    var (mode, greatest) = (0, density[1])
    for n in 1..<binCount where density[n + 1] > greatest { (mode, greatest) = (n, density[n + 1]) }
    var scores = scores.mutableSpan
    for n in mode..<binCount { scores[n] = score(of: density, at: n) }
    return mode
  }

  /// Sets the scores up to `mode`, and makes them monotone.
  private static func setScores(_ scores: inout [Double], upTo mode: Int, of density: Span<Double>) {
    var scores = scores.mutableSpan
    var least = Double.infinity
    for n in stride(from: mode, through: 0, by: -1) {
      least = min(least, score(of: density, at: n))
      scores[n] = least
    }
  }

  /// The score of a density at a bin: the negative derivative of its logarithm. The bins of the density begin at index 1.
  private static func score(of density: Span<Double>, at bin: Int) -> Double {
    (density[bin] - density[bin + 2]) / 2 / (density[bin + 1] + floor)
  }

  /// Subtracts the mean of all packets from the scores, so that the expected delay remains the same.
  ///
  /// - Parameters:
  ///   - counts: the number of packets in each bin.
  ///   - total: the sum of `counts`.
  /// - Returns: the sums of the square and of the slope of the score over all packets; per bin.
  private static func center(
    _ scores: inout [Double], _ counts: [Double], total: Double
  ) -> (square: Double, rise: Double) {
    let counts = counts.span
    var scores = scores.mutableSpan
    var (mean, square, rise) = (0.0, 0.0, 0.0)
    for n in 0..<binCount { mean += counts[n] * scores[n] }
    mean /= max(total, 1e-9)
    for n in 0..<binCount {
      scores[n] -= mean
      square += counts[n] * scores[n] * scores[n]
    }
    for n in 1..<binCount - 1 { rise += counts[n] * (scores[n + 1] - scores[n - 1]) / 2 }
    return (square, rise)
  }
}

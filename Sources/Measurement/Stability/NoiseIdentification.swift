import Foundation

/// The result of the identification of the noise type at one observation time.
///
/// The phase is reduced to the means of blocks as long as the observation time. A mean, unlike every n-th value, keeps the two types of
/// phase noise apart. The restricted likelihood of up to 16 series of up to 64 means is calculated for each of the five types
/// (``RestrictedLikelihood``, ``PowerLawCovariance``). The level of the noise is unknown, and each series has its own line. A type is
/// possible if its probability is at least 0.05. It is identified if its probability is at least 0.8. The type rarely changes from one
/// observation time to the next, so the type of the shorter time has prior odds of 10 to 1 against each other type. Periodic jitter is of
/// none of the types: its frequency stands out of the means that the most probable type has whitened.
///
/// The method replaces the lag 1 autocorrelation of NIST SP 1065, section 5.5.3, which takes every n-th phase value and finds white noise
/// in flicker phase noise. The likelihood of such models was compared by J. Langbein, Journal of Geodesy 86, 2012.
enum NoiseIdentification: Equatable {
  /// The type.
  case identified(PowerLawNoise)
  /// Several types are possible.
  case ambiguous([PowerLawNoise])
  /// The jitter is periodic.
  case periodic
  /// There are fewer than 30 means, or the phase does not vary.
  case unknown

  /// The smallest number of means in a series (NIST SP 1065, section 5.5).
  static let fewestMeans = 30
  /// The largest number of series.
  private static let mostSeries = 16
  /// The smallest probability of an identified type.
  private static let probability = 0.8
  /// The smallest probability of a possible type.
  private static let smallestProbability = 0.05
  /// The prior odds of the type of the next shorter observation time.
  private static let priorOdds = 10.0
  /// A frequency stands out if its power exceeds the mean power by this factor, and if the probability of such a power in white noise,
  /// at any frequency, is below the second number.
  private static let (prominence, falseAlarm) = (4.0, 1e-4)

  /// Identifies the type at the observation time of `factor` intervals.
  ///
  /// - Parameter previous: the type at the next shorter observation time; nil if it is unknown.
  init(of series: PhaseSeries, factor: Int, previous: PowerLawNoise? = nil) {
    let length = min(series.longestRun / factor, PowerLawCovariance.size)
    guard length >= Self.fewestMeans else {
      self = .unknown
      return
    }
    let means = Self.starts(in: series, factor: factor, length: length).map { start in
      (0..<length).map { Self.mean(series.phase[start + $0 * factor..<start + ($0 + 1) * factor]) }
    }
    let laws = PowerLawCovariance.halfSteps(isAveraged: factor > 1)
    let candidates = PowerLawNoise.allCases.compactMap { noise in
      let exponent = Double(2 - noise.rawValue)
      let law = laws.first { $0.exponent == exponent }
      var candidate = Candidate(noise, means, length: length) { row, column in law.map { $0[row, column] } }
      if noise == previous { candidate?.logLikelihood += log(Self.priorOdds) }
      return candidate
    }
    guard let best = candidates.max(by: { $0.logLikelihood < $1.logLikelihood }) else {
      self = .unknown
      return
    }
    guard !best.hasPeak else {
      self = .periodic
      return
    }
    let weights = candidates.map { exp($0.logLikelihood - best.logLikelihood) }
    let total = weights.reduce(0, +)
    guard 1 < Self.probability * total else {
      self = .identified(best.noise)
      return
    }
    self = .ambiguous(zip(candidates, weights).filter { $1 >= Self.smallestProbability * total }.map(\.0.noise))
  }

  /// Returns the first index of each series of means. The series do not overlap and are spread over all runs.
  private static func starts(in series: PhaseSeries, factor: Int, length: Int) -> [Int] {
    let all = series.runs.flatMap { run in
      (0..<run.count / (factor * length)).map { run.lowerBound + $0 * factor * length }
    }
    let count = min(all.count, mostSeries)
    return (0..<count).map { all[$0 * all.count / count] }
  }

  /// Returns the mean of the values that are present; NaN if more than half of them are missing.
  private static func mean(_ values: ArraySlice<Double>) -> Double {
    let sum = values.reduce((count: 0, sum: 0.0)) { $1.isNaN ? $0 : ($0.count + 1, $0.sum + $1) }
    return 2 * sum.count < values.count ? .nan : sum.sum / Double(sum.count)
  }

  /// One of the types, with the likelihood of the means.
  private struct Candidate {
    let noise: PowerLawNoise
    var logLikelihood = 0.0
    /// Whether the power at one frequency is far above the mean.
    private(set) var hasPeak = false

    /// Calculates the likelihood. `element` returns an element of the covariance matrix, nil for white noise. The result is nil if no
    /// series has 30 means, or if the means do not vary.
    init?(_ noise: PowerLawNoise, _ series: [[Double]], length: Int, element: (Int, Int) -> Double?) {
      self.noise = noise
      // The series without missing means share one factorization.
      var common: RestrictedLikelihood?
      var (squares, degrees, powers, periodograms) = (0.0, 0, [Double](repeating: 0, count: (length - 1) / 2), 0)
      for means in series {
        let present = means.indices.filter { !means[$0].isNaN }
        guard present.count >= NoiseIdentification.fewestMeans else { continue }
        let isComplete = present.count == length
        let likelihood =
          isComplete && common != nil
          ? common
          : RestrictedLikelihood(
            count: present.count,
            model: [present.map { _ in 1 }, present.map { Double($0) - Double(length) / 2 }]
          ) { element(present[$0], present[$1]) ?? ($0 == $1 ? 1 : 0) }
        guard let likelihood else { continue }
        let whitened = likelihood.whitened(present.map { means[$0] })
        squares += whitened.reduce(0) { $0 + $1 * $1 }
        degrees += likelihood.degrees
        logLikelihood += likelihood.logNormalization
        guard isComplete else { continue }
        common = likelihood
        periodograms += 1
        for (index, power) in Self.periodogram(whitened).enumerated() { powers[index] += power }
      }
      guard squares > 0, degrees > 0 else { return nil }
      logLikelihood -= Double(degrees) / 2 * log(squares)
      guard periodograms > 0, let peak = powers.max() else { return }
      // In white noise, the share of one frequency in the total power has a beta distribution (R. Fisher, "Tests of Significance in Harmonic
      // Analysis", Proceedings of the Royal Society A 125, 1929).
      let (count, total) = (Double(powers.count), powers.reduce(0, +))
      let share = BetaDistribution(a: Double(periodograms), b: Double(periodograms) * (count - 1))
      hasPeak =
        peak * count > NoiseIdentification.prominence * total
        && count * (1 - share.probability(below: peak / total)) < NoiseIdentification.falseAlarm
    }

    /// Returns the power at 1, 2, 3, ... cycles per series, below half a cycle per value.
    private static func periodogram(_ values: [Double]) -> [Double] {
      let count = values.count
      let cosines = (0..<count).map { cos(2 * Double.pi * Double($0) / Double(count)) }
      let sines = (0..<count).map { sin(2 * Double.pi * Double($0) / Double(count)) }
      return (1...(count - 1) / 2).map { cycles in
        var (real, imaginary) = (0.0, 0.0)
        for (index, value) in values.enumerated() {
          real += value * cosines[index * cycles % count]
          imaginary += value * sines[index * cycles % count]
        }
        return real * real + imaginary * imaginary
      }
    }
  }
}

import Foundation

/// The stability of a clock over one observation time: one row of the stability table of `tutti measure clock`.
public struct ClockStability: Hashable, Sendable {
  /// A deviation with its 95 % confidence interval.
  public struct Deviation: Hashable, Sendable {
    /// The deviation. The deviations of the frequency have no unit. The time deviation is in nanoseconds.
    public let value: Double
    /// The number of terms in the deviation.
    public let terms: Int
    /// The 95 % confidence interval (``StabilityConfidence``); nil without a possible type of the noise.
    public let interval: ClosedRange<Double>?
    /// The equivalent degrees of freedom, the smallest of the possible types of the noise; nil without a possible type.
    public let degreesOfFreedom: Double?

    init(_ estimate: DeviationEstimate, scale: Double, confidence: StabilityConfidence?) {
      value = estimate.value * scale
      terms = estimate.terms
      interval = confidence?.interval(of: value)
      degreesOfFreedom = confidence?.degreesOfFreedom
    }
  }

  /// The observation time in ticks.
  public let factor: Int
  /// The observation time in seconds.
  public let seconds: Double
  /// The overlapping Allan deviation of the fractional frequency (ADEV).
  public let allan: Deviation
  /// The modified Allan deviation (MDEV); nil if no three adjacent windows are free of lost ticks.
  public let modifiedAllan: Deviation?
  /// The overlapping Hadamard deviation (HDEV); nil if no four ticks are three observation times apart.
  public let hadamard: Deviation?
  /// The time deviation (TDEV) in nanoseconds: ``modifiedAllan`` times the observation time, divided by sqrt(3).
  public let time: Deviation?
  /// The type of the noise; nil if it could not be identified.
  public let noise: PowerLawNoise?
  /// The maximum time interval error (MTIE) against the best-fit line in nanoseconds.
  public let maximumTimeIntervalError: Double

  /// Returns the stability over observation times of 1, 2, 4, ... ticks, as long as twice the observation time is shorter than
  /// the longest run.
  ///
  /// - Parameters:
  ///   - series: the phase errors in nanoseconds.
  ///   - period: the length of a tick in nanoseconds.
  static func octaves(of series: PhaseSeries, period: Double) -> [ClockStability] {
    let factors = sequence(first: 1) { $0 * 2 }.prefix { 2 * $0 < series.longestRun }
    let extremes = series.maximumTimeIntervalErrors(count: Array(factors).count)
    // With fewer than 30 values, the noise type of the next shorter observation time applies (NIST SP 1065, section 5.3.2).
    var noises: [PowerLawNoise] = []
    return zip(factors, extremes).compactMap { factor, extreme in
      guard let allan = series.allanDeviation(factor: factor) else { return nil }
      let time = series.timeDeviation(factor: factor)
      let previous = noises.count == 1 ? noises[0] : nil
      switch NoiseIdentification(of: series, factor: factor, previous: previous) {
      case .identified(let noise): noises = [noise]
      case .ambiguous(let possible): noises = possible
      case .periodic: noises = []
      case .unknown: break
      }
      noises = noises.filter { agrees($0, factor: factor, allan, time) }
      let duration = Double(factor) * period
      func deviation(
        _ estimate: DeviationEstimate?, _ variance: StabilityConfidence.Variance, scale: Double
      ) -> Deviation? {
        estimate.map { estimate in
          Deviation(
            estimate, scale: scale,
            confidence: StabilityConfidence(variance, noises: noises, factor: factor, terms: estimate.terms))
        }
      }
      guard let allan = deviation(allan, .allan, scale: 1 / duration) else { return nil }
      return ClockStability(
        factor: factor, seconds: duration / 1e9, allan: allan,
        modifiedAllan: deviation(time, .modifiedAllan, scale: 3.0.squareRoot() / duration),
        hadamard: deviation(series.hadamardDeviation(factor: factor), .hadamard, scale: 1 / duration),
        time: deviation(time, .modifiedAllan, scale: 1), noise: noises.count == 1 ? noises[0] : nil,
        maximumTimeIntervalError: extreme)
    }
  }

  /// Whether the ratio of the modified Allan variance to the Allan variance agrees with the noise type (NIST SP 1065, section 5.5.5, R(n)).
  ///
  /// The type describes the mean phase over an observation time, but the Allan variance consists of single phase values. If other noise or
  /// periodic jitter dominates the single values, the ratio is much smaller, and the Allan variance has no interval. The tolerance is three
  /// standard deviations of the ratio of two independent variances, and 25 %.
  private static func agrees(
    _ noise: PowerLawNoise, factor: Int, _ allan: DeviationEstimate, _ time: DeviationEstimate?
  ) -> Bool {
    guard factor >= 8, let time, allan.value > 0 else { return true }
    let modified = time.value * 3.0.squareRoot() / allan.value
    let degrees = (
      StabilityConfidence(noise: noise, factor: factor, terms: allan.terms).degreesOfFreedom,
      StabilityConfidence(.modifiedAllan, noise: noise, factor: factor, terms: time.terms).degreesOfFreedom
    )
    let difference = log(modified * modified / StabilityConfidence.varianceRatio(noise, factor: factor))
    return abs(difference) < 3 * (2 / degrees.0 + 2 / degrees.1).squareRoot() + 0.25
  }
}

extension ClockStability: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "ticks": factor, "tau_s": seconds, "noise": noise?.abbreviation, "adev": allan.value, "adev_terms": allan.terms,
      "adev_low": allan.interval?.lowerBound, "adev_high": allan.interval?.upperBound, "edf": allan.degreesOfFreedom,
      "mdev": modifiedAllan?.value, "mdev_low": modifiedAllan?.interval?.lowerBound,
      "mdev_high": modifiedAllan?.interval?.upperBound, "mdev_edf": modifiedAllan?.degreesOfFreedom,
      "hdev": hadamard?.value, "hdev_terms": hadamard?.terms, "hdev_low": hadamard?.interval?.lowerBound,
      "hdev_high": hadamard?.interval?.upperBound, "hdev_edf": hadamard?.degreesOfFreedom,
      "tdev_us": time.map { $0.value / 1e3 }, "tdev_terms": time?.terms,
      "tdev_low_us": time?.interval.map { $0.lowerBound / 1e3 },
      "tdev_high_us": time?.interval.map { $0.upperBound / 1e3 }, "mtie_us": maximumTimeIntervalError / 1e3,
    ])
  }
}

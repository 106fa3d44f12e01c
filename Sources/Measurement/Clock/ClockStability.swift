/// The stability of a clock over one observation time: one row of the stability table of `tutti measure clock`.
public struct ClockStability: Hashable, Sendable {
  /// The observation time in ticks.
  public let factor: Int
  /// The observation time in seconds.
  public let seconds: Double
  /// The overlapping Allan deviation of the fractional frequency, without a unit.
  public let allanDeviation: Double
  /// The number of terms in the Allan deviation.
  public let terms: Int
  /// The 95 % confidence interval of the Allan deviation; nil if the type of the noise could not be identified.
  public let interval: ClosedRange<Double>?
  /// The equivalent degrees of freedom; nil if the type of the noise could not be identified.
  public let degreesOfFreedom: Double?
  /// The type of the noise; nil if it could not be identified.
  public let noise: PowerLawNoise?
  /// The time deviation in nanoseconds; nil if no three adjacent windows are free of lost ticks.
  public let timeDeviation: Double?
  /// The number of terms in the time deviation; nil if there is no time deviation.
  public let timeDeviationTerms: Int?
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
    var noise: PowerLawNoise?
    return zip(factors, extremes).compactMap { factor, extreme in
      guard let deviation = series.allanDeviation(factor: factor) else { return nil }
      noise = PowerLawNoise(of: series, factor: factor) ?? noise
      let time = Double(factor) * period
      let timeDeviation = series.timeDeviation(factor: factor)
      let fraction = deviation.value / time
      let confidence = noise.map { AllanConfidence(noise: $0, factor: factor, terms: deviation.terms) }
      return ClockStability(
        factor: factor, seconds: time / 1e9, allanDeviation: fraction, terms: deviation.terms,
        interval: confidence?.interval(of: fraction), degreesOfFreedom: confidence?.degreesOfFreedom, noise: noise,
        timeDeviation: timeDeviation?.value, timeDeviationTerms: timeDeviation?.terms,
        maximumTimeIntervalError: extreme)
    }
  }
}

extension ClockStability: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "ticks": factor, "tau_s": seconds, "adev": allanDeviation, "adev_terms": terms,
      "adev_low": interval?.lowerBound, "adev_high": interval?.upperBound, "edf": degreesOfFreedom,
      "noise": noise?.abbreviation, "tdev_us": timeDeviation.map { $0 / 1e3 }, "tdev_terms": timeDeviationTerms,
      "mtie_us": maximumTimeIntervalError / 1e3,
    ])
  }
}

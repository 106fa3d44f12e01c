/// The power-law noise types of NIST SP 1065, section 3. The raw value is the exponent alpha of the spectral density
/// of the fractional frequency, S(f) ~ f^alpha.
///
/// Real-time: not safe.
public enum PowerLawNoise: Int, Hashable, Sendable, CaseIterable {
  case randomWalkFrequency = -2
  case flickerFrequency = -1
  case whiteFrequency = 0
  case flickerPhase = 1
  case whitePhase = 2

  /// The usual abbreviation, for example "W PM" for white phase modulation.
  public var abbreviation: String {
    switch self {
    case .randomWalkFrequency: "RW FM"
    case .flickerFrequency: "F FM"
    case .whiteFrequency: "W FM"
    case .flickerPhase: "F PM"
    case .whitePhase: "W PM"
    }
  }

  /// The smallest number of values from which the type is identified (NIST SP 1065, section 5.5).
  static let fewestValues = 30

  /// Identifies the dominant noise type of `series`, at the averaging factor `factor`, by the lag 1 autocorrelation
  /// (NIST SP 1065, section 5.5; W. Riley and C. Greenhall, EFTF 2004).
  ///
  /// Every `factor`-th value of each run is used. The values are differenced, at most twice, until their autocorrelation shows
  /// that they are stationary. An autocorrelation uses only pairs of adjacent values of which none is missing.
  ///
  /// - Returns: the type; nil if fewer than 30 values or 15 pairs of adjacent values remain, or if the phase does not vary.
  init?(of series: PhaseSeries, factor: Int) {
    var runs = series.runs.map { run in
      stride(from: run.lowerBound, to: run.upperBound, by: factor).map { series.phase[$0] }
    }
    var differences = 0
    while true {
      guard let r = Self.lagOneAutocorrelation(runs) else { return nil }
      // `delta` as in SP 1065: below 0.25, the values are stationary.
      let delta = r / (1 + r)
      if delta < 0.25 || differences == 2 {
        let alpha = 2 - 2 * (delta + Double(differences))
        self = Self(rawValue: Int(min(max(alpha.rounded(), -2), 2))) ?? .whitePhase
        return
      }
      for run in runs.indices where !runs[run].isEmpty {
        for index in runs[run].indices.dropLast() { runs[run][index] = runs[run][index + 1] - runs[run][index] }
        runs[run].removeLast()
      }
      differences += 1
    }
  }

  /// Returns the autocorrelation of adjacent values, about the mean of all values. Nil if there are too few values, or if all
  /// values are equal.
  private static func lagOneAutocorrelation(_ runs: [[Double]]) -> Double? {
    var (count, sum) = (0, 0.0)
    for run in runs { for value in run where !value.isNaN { (count, sum) = (count + 1, sum + value) } }
    guard count >= fewestValues else { return nil }
    let mean = sum / Double(count)
    var (square, product, pairs) = (0.0, 0.0, 0)
    for run in runs {
      var previous = Double.nan
      for value in run {
        let deviation = value - mean
        if !deviation.isNaN { square += deviation * deviation }
        if !deviation.isNaN, !previous.isNaN { (product, pairs) = (product + deviation * previous, pairs + 1) }
        previous = deviation
      }
    }
    guard square > 0, pairs >= fewestValues / 2 else { return nil }
    // Missing values leave fewer pairs than the same number of values in uninterrupted runs would have. The scale compensates
    // for the missing pairs. It is 1 if no value is missing, as in SP 1065.
    let scale = pairs < count - runs.count ? Double(count - runs.count) / Double(pairs) : 1
    // With missing values, the estimate can be below -1, which is impossible for an autocorrelation.
    return max(product / square * scale, -0.999)
  }
}

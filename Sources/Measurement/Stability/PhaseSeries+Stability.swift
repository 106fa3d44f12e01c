extension PhaseSeries {
  /// Returns the overlapping Allan deviation, times the observation time of `factor` intervals (NIST SP 1065, section
  /// 5.2.4, equation 11: the form for phase data).
  ///
  /// A term combines three values. A term with a missing value is omitted.
  ///
  /// - Returns: nil without a term.
  func allanDeviation(factor m: Int) -> DeviationEstimate? {
    var (sum, terms) = (0.0, 0)
    for run in runs where run.count > 2 * m {
      for i in run.lowerBound..<run.upperBound - 2 * m {
        let second = phase[i + 2 * m] - 2 * phase[i + m] + phase[i]
        guard !second.isNaN else { continue }
        sum += second * second
        terms += 1
      }
    }
    return terms == 0 ? nil : DeviationEstimate(value: (sum / Double(2 * terms)).squareRoot(), terms: terms)
  }

  /// Returns the time deviation for an observation time of `factor` intervals, in the unit of the phase (NIST SP 1065,
  /// sections 5.2.5, equation 14, and 5.2.6).
  ///
  /// A term combines the means of three adjacent windows of `factor` values. A term with a missing value in one of them
  /// is omitted: a mean of fewer values would be another statistic.
  ///
  /// - Returns: nil without a term.
  func timeDeviation(factor m: Int) -> DeviationEstimate? {
    var (sum, terms) = (0.0, 0)
    for run in runs where run.count >= 3 * m {
      // The sum of the second differences of the window, and the number of missing ones.
      var (window, missing) = (0.0, 0)
      func second(_ i: Int) -> Double { phase[i + 2 * m] - 2 * phase[i + m] + phase[i] }
      for i in run.lowerBound..<run.upperBound - 2 * m {
        let entering = second(i)
        if entering.isNaN { missing += 1 } else { window += entering }
        let first = i - m + 1
        guard first >= run.lowerBound else { continue }
        if missing == 0 {
          sum += window * window
          terms += 1
        }
        let leaving = second(first)
        if leaving.isNaN { missing -= 1 } else { window -= leaving }
      }
    }
    guard terms > 0 else { return nil }
    return DeviationEstimate(value: (sum / Double(6 * terms)).squareRoot() / Double(m), terms: terms)
  }
}

extension PhaseSeries {
  /// Returns the overlapping Allan deviation for an observation time of `factor` intervals, multiplied by this time (NIST SP
  /// 1065, section 5.2.4, equation 11: the form for phase data).
  ///
  /// A term combines three values that are `factor` intervals apart. A term with a missing value is omitted.
  ///
  /// - Returns: the deviation; nil if there are no terms.
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
  /// A term combines the means of three adjacent windows of `factor` values. A term with a missing value in one of its windows
  /// is omitted, because the time deviation is defined for means of `factor` values.
  ///
  /// - Returns: the deviation; nil if there are no terms.
  func timeDeviation(factor m: Int) -> DeviationEstimate? {
    var (sum, terms) = (0.0, 0)
    for run in runs where run.count >= 3 * m {
      // The sum of the second differences in the window, and the number of second differences that are missing in it.
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

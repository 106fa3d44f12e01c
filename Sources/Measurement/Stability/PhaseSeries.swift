/// Evenly spaced time errors of a clock, in one or more uninterrupted runs.
///
/// A missing value is NaN. The change of the time error from one run to the next is unknown, so a statistic never combines
/// values of two runs.
struct PhaseSeries {
  /// The time errors of all runs, one after the other, in any unit of time. NaN is a missing value.
  var phase: [Double]
  /// The runs, as ranges of ``phase``, in order.
  var runs: [Range<Int>]

  /// Creates a series with one run.
  init(_ phase: [Double]) { (self.phase, runs) = (phase, [phase.indices]) }

  /// Creates a series with several runs.
  init(_ phase: [Double], runs: [Range<Int>]) { (self.phase, self.runs) = (phase, runs) }

  /// The length of the longest run in values.
  var longestRun: Int { runs.map(\.count).max() ?? 0 }

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

  /// Returns the overlapping Hadamard deviation for an observation time of `factor` intervals, multiplied by this time (NIST SP 1065,
  /// section 5.2.9). A constant drift of the frequency has no effect on this deviation.
  ///
  /// A term combines four values that are `factor` intervals apart. A term with a missing value is omitted.
  ///
  /// - Returns: the deviation; nil if there are no terms.
  func hadamardDeviation(factor m: Int) -> DeviationEstimate? {
    var (sum, terms) = (0.0, 0)
    for run in runs where run.count > 3 * m {
      for i in run.lowerBound..<run.upperBound - 3 * m {
        let third = phase[i + 3 * m] - phase[i] - 3 * (phase[i + 2 * m] - phase[i + m])
        guard !third.isNaN else { continue }
        sum += third * third
        terms += 1
      }
    }
    return terms == 0 ? nil : DeviationEstimate(value: (sum / Double(6 * terms)).squareRoot(), terms: terms)
  }

  /// Returns the maximum time interval error for observation times of 1, 2, 4, ... intervals: the largest peak-to-peak
  /// time error in any window of that length (NIST SP 1065, section 5.2; ITU-T G.810, appendix II.5).
  ///
  /// A window of m intervals contains m + 1 values. The extremes of a window follow from the extremes of its two halves (S.
  /// Bregni, Fast Algorithms for TVAR and MTIE Computation, 2001). Therefore all observation times together take O(n log n)
  /// for n values. Missing values are ignored. No window extends beyond its run.
  ///
  /// - Parameter count: the number of observation times. At least one run must be longer than the longest observation time.
  func maximumTimeIntervalErrors(count: Int) -> [Double] {
    var result: [Double] = []
    // The extremes of the windows of `width` values that begin at each index.
    var (highest, lowest) = (phase, phase)
    for index in phase.indices where phase[index].isNaN {
      (highest[index], lowest[index]) = (-.infinity, .infinity)
    }
    var width = 1
    while result.count < count {
      var greatest = 0.0
      for run in runs where run.count > width {
        for i in run.lowerBound..<run.upperBound - width {
          // The window of width + 1 values from i.
          let range = max(highest[i], highest[i + 1]) - min(lowest[i], lowest[i + 1])
          if range > greatest { greatest = range }
        }
      }
      result.append(greatest)
      for run in runs where run.count >= 2 * width {
        for i in run.lowerBound...run.upperBound - 2 * width {
          highest[i] = max(highest[i], highest[i + width])
          lowest[i] = min(lowest[i], lowest[i + width])
        }
      }
      width *= 2
    }
    return result
  }
}

/// An Allan deviation or a time deviation, and the number of terms from which it was calculated.
struct DeviationEstimate: Hashable {
  /// The deviation, in the unit of the phase. An Allan deviation itself has no unit, so it is stored multiplied by the observation
  /// time.
  var value: Double
  /// The number of squared terms in the root mean square.
  var terms: Int
}

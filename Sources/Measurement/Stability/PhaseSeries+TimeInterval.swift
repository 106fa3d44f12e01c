extension PhaseSeries {
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

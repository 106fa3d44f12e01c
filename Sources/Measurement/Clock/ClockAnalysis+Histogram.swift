extension ClockAnalysis {
  /// Returns the histogram of the magnitude of the phase error, in the form of `cyclictest --histogram`.
  ///
  /// Each line contains a bin of one microsecond and its count, separated by a space. A value belongs to the bin of its
  /// whole microseconds. The lines after the bins begin with `#`, and state the total, the extremes, and the number of
  /// values beyond the last bin.
  ///
  /// - Parameter limit: the number of bins, at least 1.
  ///
  /// Real-time: not safe.
  public func histogram(limit: Int) -> String {
    var bins = [Int](repeating: 0, count: limit)
    var overflows = 0
    for error in phase.series.phase where !error.isNaN {
      let bin = abs(error) / 1e3
      if bin < Double(limit) { bins[Int(bin)] += 1 } else { overflows += 1 }
    }
    func padded(_ number: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(6 - text.count, 0)) + text
    }
    func whole(_ nanoseconds: Double) -> String { padded(Int((nanoseconds / 1e3).rounded(.down))) }
    let magnitude = report.phaseMagnitude
    var text = report.provenance.lines.map { "# \($0)\n" }.joined()
    text += "# Histogram of the magnitude of the phase error, us\n"
    for (bin, count) in bins.enumerated() { text += "\(padded(bin)) \(padded(count))\n" }
    text += "# Total: \(padded(magnitude.count - overflows))\n"
    text += "# Min Latencies: \(whole(magnitude.minimum))\n"
    text += "# Avg Latencies: \(whole(magnitude.mean))\n"
    text += "# Max Latencies: \(whole(magnitude.maximum))\n"
    text += "# Histogram Overflows: \(String(repeating: "0", count: max(5 - "\(overflows)".count, 0)))\(overflows)\n"
    return text
  }
}

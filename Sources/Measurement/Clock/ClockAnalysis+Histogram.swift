extension ClockAnalysis {
  /// Returns the histogram of the magnitude of the phase error, in the format of `cyclictest --histogram`.
  ///
  /// A bin is one microsecond wide. Each line contains the lower edge of a bin in microseconds and the number of ticks in it, separated
  /// by a space. The lines after the bins begin with `#`. They state the number of ticks in the bins, the minimum, mean and maximum, and
  /// the number of ticks beyond the last bin.
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

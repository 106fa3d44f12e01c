extension PhaseSpectrum: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "window": "hann", "segment_ticks": segmentTicks, "segments": segments, "missing_share": missingShare,
      "tick_rate_hz": tickRate, "spacing_hz": spacing, "resolution_hz": resolution, "edf": degreesOfFreedom,
      "low_factor": interval.lowerBound, "high_factor": interval.upperBound, "density_us2_per_hz": densities,
      "lines": lines,
    ])
  }
}

extension PhaseSpectrum.Line: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["hz": frequency, "amplitude_us": amplitude / 1e3, "prominence": prominence])
  }
}

extension PhaseSpectrum {
  /// The text of the report: the segments, and a table of the lines.
  var text: String {
    let head =
      "Phase spectrum: \(segments) segments of \(segmentTicks) ticks, resolution \(resolution.short) Hz up to "
      + "\((tickRate / 2).fixed(3)) Hz; lost ticks \(missingShare.fixed(2, scale: 100)) %\n"
    guard !lines.isEmpty else { return head + "No periodic error stands out\n" }
    let table = TextTable(
      columns: ["Hz", "or Hz", "or Hz", "amplitude us", "times the noise"], wordColumns: 0,
      rows: lines.map { line in
        [line.frequency, tickRate - line.frequency, tickRate + line.frequency].map { $0.fixed(3) }
          + [line.amplitude.microseconds, line.prominence.fixed(1)]
      })
    return head + "Periodic errors; the ticks cannot tell the frequencies of a row apart\n\(table)"
  }

  /// The commands for the logarithmic axes of a plot; none if a density is 0.
  var plotAxes: [String] {
    guard let low = densities.min(), let high = densities.max(), low > 0 else { return [] }
    return Gnuplot.logarithmic("x", spacing, Double(densities.count) * spacing) + Gnuplot.logarithmic("y", low, high)
  }

  /// The lines of the data of a plot: frequency and density.
  var plotLines: [String] {
    densities.enumerated().map { "\(Double($0 + 1) * spacing) \($1)" }
  }
}

extension ClockAnalysis {
  /// Writes comments with the provenance, a line with the titles of the columns, and one row for each frequency of the phase spectrum: the
  /// frequency in hertz, the density in square microseconds per hertz, and its 95 % confidence interval, which is empty for the lowest four
  /// frequencies.
  ///
  /// - Parameter output: is called with the text.
  /// - Throws: ``ReportError`` if there is no spectrum.
  ///
  /// Real-time: not safe.
  public func writeSpectrum(_ output: (String) -> Void) throws(ReportError) {
    guard let spectrum = report.spectrum else {
      throw ReportError(
        subject: clock.name, reason: "no spectrum: fewer than 64 ticks in succession, or too many of them are lost",
        remedy: "record at least 64 ticks of a running clock")
    }
    output(report.provenance.lines.map { "# \($0)\n" }.joined())
    output("hz,density_us2_per_hz,low_us2_per_hz,high_us2_per_hz\n")
    let interval = spectrum.interval
    for (index, density) in spectrum.densities.enumerated() {
      let frequency = Double(index + 1) * spectrum.spacing
      let ends =
        index < PhaseSpectrum.lowestFrequencies
        ? "," : "\(density * interval.lowerBound),\(density * interval.upperBound)"
      output("\(frequency),\(density),\(ends)\n")
    }
  }
}

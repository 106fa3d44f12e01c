extension ClockStamps {
  /// Creates the stamps of the pulses or clicks of a clock in a recording, in nanoseconds since the first frame. ``PulseDetector`` finds
  /// them.
  ///
  /// - Throws: ``ReportError`` if the recording is silent, or contains fewer than three pulses.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording) throws(ReportError) {
    self.init(name: recording.name)
    let pulses = PulseDetector(rate: recording.rate).pulses(in: recording.samples)
    guard pulses.positions.count >= 3 else {
      let isSilent = recording.samples.allSatisfy { !$0.isFinite || abs($0) <= OnsetDetector.silence }
      throw ReportError(
        subject: recording.name, reason: isSilent ? "silent" : "fewer than 3 pulses",
        remedy: "record the clock output, or a short click on each tick, at a level near full scale")
    }
    stamps = pulses.positions.map { Int64(($0 / Double(recording.rate) * 1e9).rounded()) }
    // The position of a pulse comes from the correlation or, if the correlation fails, from the threshold. The two methods differ by part
    // of a frame, so the positions are not always in order.
    stamps.sort()
    if pulses.correlated * 10 < pulses.positions.count * 9 {
      warnings.append(
        "\(recording.name): \(pulses.positions.count - pulses.correlated) of \(pulses.positions.count) pulses have "
          + "another shape than the first, so their stamps are inexact by about a frame")
    }
  }
}

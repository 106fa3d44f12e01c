/// A detector that finds the pulses or clicks of a clock in a recording, with a resolution below one frame. The method is that of
/// Innerclock Systems' Litmus tests, which record the pulse output of a device.
///
/// The threshold is half of the usual peak level. A pulse begins where the signal crosses the threshold after at least 2 ms below it. Only
/// crossings with the sign of the first pulse count, because the input of a sound card blocks direct current, and the end of a long pulse
/// then appears as a pulse of the opposite sign. The position of each pulse relative to the first pulse is the lag at which the two pulses
/// correlate best (``HitCorrelation``). The positions of all pulses therefore have the same constant error, which has no effect on the
/// figures of the clock.
struct PulseDetector {
  /// Frames per second.
  private let rate: Int
  /// The shortest time below the threshold before a pulse, in frames: 2 ms.
  private let pause: Int

  /// Creates a detector for recordings of `rate` frames per second.
  init(rate: Int) { (self.rate, pause) = (rate, rate / 500) }

  /// Returns the positions of the pulses in frames, in the order of the threshold crossings, and the number of pulses whose position was
  /// found by correlation. The first pulse counts as one of these.
  func pulses(in samples: [Float]) -> (positions: [Double], correlated: Int) {
    let threshold = usualPeak(of: samples) / 2
    guard threshold > OnsetDetector.silence else { return ([], 0) }
    let edges = edges(in: samples, threshold: threshold)
    guard let first = edges.first, edges.count > 1 else { return (edges.map(\.position), 0) }
    // The correlation extends to 20 ms after the crossing, but at most to half of a short interval (the tenth percentile), so that it does
    // not contain the next pulse.
    let intervals = zip(edges.dropFirst(), edges).map { $0.frame - $1.frame }.sorted()
    let correlation = HitCorrelation(rate: rate, after: min(rate / 50, intervals[intervals.count / 10] / 2))
    var correlated = 1
    let positions = edges.dropFirst().map { edge in
      let match = correlation.match(first.frame, in: samples, near: edge.frame, in: samples)?.position
      if match != nil { correlated += 1 }
      // Without a match, the threshold crossing counts. The position of the first pulse is its frame and not its crossing, so all
      // crossings are shifted by the difference between these two.
      return match ?? edge.position - (first.position - Double(first.frame))
    }
    return ([Double(first.frame)] + positions, correlated)
  }

  /// Returns the usual peak level of the pulses.
  ///
  /// The recording is divided into sections of 5 ms. The sections whose peak reaches a quarter of the greatest peak contain pulses. The
  /// result is the median of their peaks.
  ///
  /// If only one or two sections reach this level, they can contain the click of a plug or a switch instead of pulses. These sections are
  /// left out if the next loudest group of sections can contain the pulses: at least three sections, and fewer than half of all sections.
  /// Noise would fill all sections.
  private func usualPeak(of samples: [Float]) -> Float {
    let width = max(rate / 200, 1)
    let peaks = stride(from: 0, to: samples.count, by: width).map { start in
      samples[start..<min(start + width, samples.count)].reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
    }
    // Returns the peaks that reach a quarter of the greatest one. `peaks` is ascending.
    func group(in peaks: ArraySlice<Float>) -> ArraySlice<Float> { peaks.drop { $0 < (peaks.last ?? 0) / 4 } }
    let sorted = peaks.sorted()
    let high = group(in: sorted[...])
    let others = group(in: sorted[..<high.startIndex])
    let areClicks =
      high.count <= 2 && (3..<max(sorted.count / 2, 3)).contains(others.count)
      && (others.last ?? 0) > OnsetDetector.silence
    let pulses = areClicks ? others : high
    return pulses.isEmpty ? 0 : pulses[pulses.startIndex + pulses.count / 2]
  }

  /// Returns, for each pulse, the first frame that reaches the threshold, and the position of the threshold crossing, in frames. The
  /// position is interpolated linearly between this frame and the previous one.
  private func edges(in samples: [Float], threshold: Float) -> [(frame: Int, position: Double)] {
    var edges: [(frame: Int, position: Double)] = []
    var (sign, lastLoudFrame): (Float?, Int) = (nil, -pause)
    for frame in samples.indices where abs(samples[frame]) >= threshold {
      let direction: Float = samples[frame] < 0 ? -1 : 1
      defer { lastLoudFrame = frame }
      guard frame - lastLoudFrame > pause else { continue }
      if sign == nil { sign = direction }
      guard direction == sign else { continue }
      let (before, after) = (frame > 0 ? samples[frame - 1] * direction : 0, samples[frame] * direction)
      let part = after > before ? Double((threshold - before) / (after - before)) : 1
      edges.append((frame, Double(frame - 1) + min(max(part, 0), 1)))
    }
    return edges
  }
}

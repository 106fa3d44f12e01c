/// Finds the pulses or clicks of a clock in a recording: the method of Innerclock Systems' Litmus tests, which record the
/// pulse output of a device on one channel, with positions between frames.
///
/// A pulse begins where the signal crosses half of the usual peak level in one direction, after 2 ms below this level. The
/// direction is that of the first pulse: the input of a sound card has no direct current, so that the end of a long pulse
/// appears as a pulse in the other direction. The position of a pulse is that of the first pulse, moved by the lag with the
/// maximum correlation (``HitCorrelation``). The stamps of all pulses therefore have the same constant error, which no
/// figure contains.
struct PulseDetector {
  /// Frames per second.
  private let rate: Int
  /// How long the signal is below the threshold before a pulse, in frames: 2 ms.
  private let pause: Int

  /// Creates a detector for recordings of `rate` frames per second.
  init(rate: Int) { (self.rate, pause) = (rate, rate / 500) }

  /// Returns the positions of the pulses in frames, ascending, and the number of pulses whose position was found by
  /// correlation.
  func pulses(in samples: [Float]) -> (positions: [Double], correlated: Int) {
    let threshold = usualPeak(of: samples) / 2
    guard threshold > OnsetDetector.silence else { return ([], 0) }
    let edges = edges(in: samples, threshold: threshold)
    guard let first = edges.first, edges.count > 1 else { return (edges.map(\.position), 0) }
    // The correlation must not extend to the next pulse.
    let intervals = zip(edges.dropFirst(), edges).map { $0.frame - $1.frame }.sorted()
    let correlation = HitCorrelation(rate: rate, after: min(rate / 50, intervals[intervals.count / 10] / 2))
    var correlated = 1
    let positions = edges.dropFirst().map { edge in
      let match = correlation.match(first.frame, in: samples, near: edge.frame, in: samples)
      if match != nil { correlated += 1 }
      return match ?? edge.position - (first.position - Double(first.frame))
    }
    return ([Double(first.frame)] + positions, correlated)
  }

  /// Returns the median of the peaks of all 5 ms that reach a quarter of the greatest peak.
  ///
  /// One or two peaks that are four times higher than all others are clicks of a connection or a switch, and are left out. The others
  /// must be more than two, and fewer than half of all 5 ms, because noise fills them all.
  private func usualPeak(of samples: [Float]) -> Float {
    let width = max(rate / 200, 1)
    let peaks = stride(from: 0, to: samples.count, by: width).map { start in
      samples[start..<min(start + width, samples.count)].reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
    }
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

  /// Returns the first frame above the threshold of each pulse, and the place where the straight line between the frames
  /// crosses the threshold.
  private func edges(in samples: [Float], threshold: Float) -> [(frame: Int, position: Double)] {
    var edges: [(frame: Int, position: Double)] = []
    var (sign, quietSince): (Float?, Int) = (nil, -pause)
    for frame in samples.indices where abs(samples[frame]) >= threshold {
      let direction: Float = samples[frame] < 0 ? -1 : 1
      defer { quietSince = frame }
      guard frame - quietSince > pause else { continue }
      if sign == nil { sign = direction }
      guard direction == sign else { continue }
      let (before, after) = (frame > 0 ? samples[frame - 1] * direction : 0, samples[frame] * direction)
      let part = after > before ? Double((threshold - before) / (after - before)) : 1
      edges.append((frame, Double(frame - 1) + min(max(part, 0), 1)))
    }
    return edges
  }
}

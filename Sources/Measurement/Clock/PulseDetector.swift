/// A detector that finds the pulses or clicks of a clock in a recording, with a resolution below one frame. The method is that of
/// Innerclock Systems' Litmus tests, which record the pulse output of a device.
///
/// The detector finds pulses by their slope: the change of the signal within 1 ms. The input of a sound card blocks direct current
/// (AC coupling). The level of a long pulse therefore decays, and the level between the pulses drifts until their mean is zero. In 1 ms
/// both hardly change, but an edge of a pulse does. In a click from silence, the first 1 ms of the slope is the click itself.
///
/// The threshold is half of the usual peak of the slope. A group of frames that reach it, without a gap of more than 2 ms, is an edge or a
/// click. An edge has one sign, and a click has both. The beginning and the end of a pulse are edges of opposite signs. Therefore only
/// groups with a frame of the reference sign count. The reference sign is that of the peaks of most groups. If about half of the peaks have
/// each sign, as those of pulses have, it is the sign of the first peak.
///
/// The position of each pulse relative to the first pulse is the lag at which the two pulses correlate best (``HitCorrelation``). The
/// positions of all pulses therefore have the same constant error, which has no effect on the figures of the clock.
struct PulseDetector {
  /// Frames per second.
  private let rate: Int
  /// The longest time below the threshold within a group, in frames: 2 ms.
  private let pause: Int
  /// The time over which the slope is taken, in frames: 1 ms.
  private let span: Int

  /// Creates a detector for recordings of `rate` frames per second.
  init(rate: Int) { (self.rate, pause, span) = (rate, rate / 500, max(rate / 1000, 1)) }

  /// Returns the positions of the pulses in frames, in the order of the threshold crossings, and the number of pulses whose position was
  /// found by correlation. The first pulse counts as one of these.
  func pulses(in samples: [Float]) -> (positions: [Double], correlated: Int) {
    let slope = samples.indices.map { frame in
      let value = samples[frame] - (frame >= span ? samples[frame - span] : 0)
      return value.isFinite ? value : 0
    }
    let threshold = usualPeak(of: slope) / 2
    guard threshold > OnsetDetector.silence else { return ([], 0) }
    let edges = edges(in: slope, threshold: threshold)
    guard let first = edges.first, edges.count > 1 else { return (edges.map(\.position), 0) }
    // The correlation extends to 20 ms after the crossing, but at most to half of a short interval (the tenth percentile), so that it does
    // not contain the next pulse.
    let intervals = zip(edges.dropFirst(), edges).map { $0.frame - $1.frame }.sorted()
    let interval = intervals[intervals.count / 10]
    let correlation = HitCorrelation(rate: rate, after: min(rate / 50, interval / 2), interval: interval)
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

  /// Returns the usual peak of the slope of the pulses.
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

  /// A group of frames whose slope reaches the threshold.
  private struct Group {
    /// The first frame with a positive and with a negative slope.
    var (positive, negative): (Int?, Int?)
    /// The slope with the largest magnitude.
    var peak: Float = 0
    /// The last frame.
    var last = 0
  }

  /// Returns, for each pulse, the first frame that reaches the threshold with the reference sign, and the position of the threshold
  /// crossing, in frames. The position is interpolated linearly between this frame and the previous one.
  private func edges(in slope: [Float], threshold: Float) -> [(frame: Int, position: Double)] {
    var groups: [Group] = []
    for (frame, value) in slope.enumerated() where abs(value) >= threshold {
      if groups.isEmpty || frame - groups[groups.count - 1].last > pause + 1 { groups.append(Group()) }
      let index = groups.count - 1
      if value > 0 {
        groups[index].positive = groups[index].positive ?? frame
      } else {
        groups[index].negative = groups[index].negative ?? frame
      }
      if abs(value) > abs(groups[index].peak) { groups[index].peak = value }
      groups[index].last = frame
    }
    guard let first = groups.first else { return [] }
    let positive = groups.count { $0.peak > 0 }
    let isTie = (groups.count * 2 / 5...groups.count * 3 / 5).contains(positive)
    let isPositive = isTie ? first.peak > 0 : positive * 2 > groups.count
    let sign: Float = isPositive ? 1 : -1
    return groups.compactMap { isPositive ? $0.positive : $0.negative }.map { frame in
      let (before, after) = (frame > 0 ? slope[frame - 1] * sign : 0, slope[frame] * sign)
      let part = after > before ? Double((threshold - before) / (after - before)) : 1
      return (frame, Double(frame - 1) + min(max(part, 0), 1))
    }
  }
}

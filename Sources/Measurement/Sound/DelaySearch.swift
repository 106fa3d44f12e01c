import MusicalTime

/// Determines the delay and the drift of a recording against the reference from their onsets. This is necessary if the first instants
/// of the recordings are not known by a common clock.
///
/// The time differences of all pairs of onsets are counted in bins of 5 ms (``DelayCounts``). The bins around the true delay contain the
/// largest number of pairs. A delay that is wrong by a whole bar also has many pairs, but fewer. A drift spreads the differences over
/// several bins. Therefore a line is fitted: the delay as a function of time, whose slope is the drift. Two steps are repeated
/// until the line is stable, at most 20 times. First, each onset of the reference is paired with the nearest onset of the
/// recording; pairs far from the line are dropped. Then a new line is fitted to the differences of the remaining pairs.
struct DelaySearch {
  /// The delay and the drift.
  private(set) var line = AlignmentLine()
  /// The smallest number of pairs of onsets from which a delay is determined.
  static let fewestHits = 4
  /// The largest deviation of the delay from the difference of the first onsets, in nanoseconds: an hour.
  private static let greatestDelay: Int64 = 3_600_000_000_000
  /// The largest distance from the line at which an onset is paired, in nanoseconds.
  private static let tolerance = 30e6

  /// Searches for the delay; nil if no delay has enough pairs.
  ///
  /// - Parameters:
  ///   - reference: the onsets of the reference, ascending.
  ///   - other: the onsets of the recording, ascending.
  init?(reference: [Instant], other: [Instant]) {
    guard let first = reference.first, let second = other.first else { return nil }
    // Differences are relative to the difference of the first onsets, because the clocks can be unrelated.
    let base = (second - first).count
    let counts = DelayCounts(
      reference: reference, other: other, base: base, range: -Self.greatestDelay...Self.greatestDelay)
    // If several bins have the largest number of pairs, the bin closest to the difference of the first onsets is chosen. Of
    // two equally close bins, the one with the larger difference is chosen, whatever the order of the dictionary.
    guard
      let best = counts.occupied.max(by: {
        (counts.pairs($0), -abs($0), $0) < (counts.pairs($1), -abs($1), $1)
      }), counts.pairs(best) >= Self.fewestHits
    else { return nil }
    line = AlignmentLine(origin: first, delay: counts.delay(best), slope: 0)
    for _ in 0..<20 {
      let next = Self.refined(line, reference: reference, other: other)
      // Stable: the slope has changed by less than 0.001 ppm, and the delay by less than 1 us.
      let isStable = abs(next.slope - line.slope) < 1e-9 && abs(next.delay - line.delay) < 1000
      line = next
      if isStable { break }
    }
  }

  /// Pairs each onset of `reference` with the nearest onset of `other`, as shifted by `line`. Returns the best-fit line through
  /// the differences of the pairs within ``tolerance``.
  private static func refined(_ line: AlignmentLine, reference: [Instant], other: [Instant]) -> AlignmentLine {
    var (fit, next) = (DriftFit(), 0)
    let aligned = other.map(line.aligned)
    for onset in reference {
      while next + 1 < aligned.count, (aligned[next + 1] - onset).magnitude <= (aligned[next] - onset).magnitude {
        next += 1
      }
      guard abs(Double((aligned[next] - onset).count)) <= tolerance else { continue }
      fit.append(Double((other[next] - onset).count - line.delay), at: onset)
    }
    guard let value = fit.value(at: line.origin) else { return line }
    // The rates of sample clocks differ by at most a few hundred parts per million. A steeper line comes from wrong pairs.
    let slope = min(max((fit.partsPerMillion ?? 0) / 1e6, -2e-3), 2e-3)
    return AlignmentLine(origin: line.origin, delay: line.delay + Int64(value.rounded()), slope: slope)
  }
}

/// The delay of a recording against the reference, as a linear function of time. It converts the instants of the recording to
/// instants of the reference.
struct AlignmentLine {
  /// The instant at which ``delay`` applies, by the clock of the reference.
  var origin = Instant(nanoseconds: 0)
  /// The delay of the recording at ``origin``, in nanoseconds; positive if the recording is late.
  var delay: Int64 = 0
  /// The growth of the delay, in nanoseconds per nanosecond of the reference.
  var slope = 0.0

  /// Returns the instant of the reference that corresponds to `instant` of the recording.
  func aligned(_ instant: Instant) -> Instant {
    let shifted = instant - Nanoseconds(delay)
    guard slope != 0 else { return shifted }
    // The result t is the solution of: instant = t + delay + slope (t - origin).
    return shifted - Nanoseconds(Int64((Double((shifted - origin).count) * slope / (1 + slope)).rounded()))
  }
}

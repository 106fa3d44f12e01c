import MusicalTime

/// Determines the delay and the drift of a recording against the reference from their onsets. This is necessary if the first instants
/// of the recordings are not known by a common clock.
///
/// The time differences of all pairs of onsets are counted in bins of 5 ms. The bins around the true delay contain the largest
/// number of pairs. A delay that is wrong by a whole bar also has many pairs, but fewer. A drift spreads the differences over
/// several bins. Therefore a line is fitted: the delay as a function of time, whose slope is the drift. Two steps are repeated
/// until the line is stable, at most 20 times. First, each onset of the reference is paired with the nearest onset of the
/// recording; pairs far from the line are dropped. Then a new line is fitted to the differences of the remaining pairs.
struct DelaySearch {
  /// The delay and the drift.
  private(set) var line = AlignmentLine()
  /// A note if another delay fits nearly as well; nil if the delay is unique.
  private(set) var note: String?

  /// The smallest number of pairs of onsets from which a delay is determined.
  static let fewestHits = 4
  /// The maximum number of onsets, at the beginning of each recording, from which the pairs are formed. The work grows with the
  /// square of this number.
  private static let limit = 4_000
  /// The width of a bin in nanoseconds, and the number of bins on each side that are added to a bin.
  private static let (bin, neighbours): (Int64, Int) = (5_000_000, 2)
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
    var bins: [Int: Int] = [:]
    for a in reference.prefix(Self.limit) {
      for b in other.prefix(Self.limit) {
        let difference = (b - a).count - base
        guard difference.magnitude <= Self.greatestDelay.magnitude else { continue }
        bins[Int((Double(difference) / Double(Self.bin)).rounded(.down)), default: 0] += 1
      }
    }
    func pairs(_ bin: Int) -> Int {
      (bin - Self.neighbours...bin + Self.neighbours).reduce(0) { $0 + bins[$1, default: 0] }
    }
    // If several bins have the largest number of pairs, the bin closest to the difference of the first onsets is chosen. Of
    // two equally close bins, the one with the larger difference is chosen, whatever the order of the dictionary.
    guard
      let best = bins.keys.max(by: { (pairs($0), -abs($0), $0) < (pairs($1), -abs($1), $1) }),
      pairs(best) >= Self.fewestHits
    else { return nil }
    // The best of the bins that are too far from `best` to contain pairs of the same delay. Of equally good bins, the one with the
    // largest difference is chosen.
    let runnerUp = bins.keys.filter { abs($0 - best) > 4 * Self.neighbours }.max { (pairs($0), $0) < (pairs($1), $1) }
    if let runnerUp, Double(pairs(runnerUp)) > 0.95 * Double(pairs(best)) {
      let seconds = Double((runnerUp - best)) * Double(Self.bin) / 1e9
      note =
        "the delay is ambiguous, because the music repeats: a delay that differs by \(seconds.fixed(2)) s fits "
        + "nearly as well; begin the recordings with a pattern that does not repeat"
    }
    line = AlignmentLine(
      origin: first, delay: base + Int64((Double(best) + 0.5) * Double(Self.bin)), slope: 0)
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

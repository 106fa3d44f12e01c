import MusicalTime

/// The repetition of music, and the delays between two recordings that it makes possible.
///
/// If music repeats after a time T, a delay d between two recordings cannot be told from d + T and d - T: the delay is wrapped. For
/// example, on a grid of 250 ms, a delay of 200 ms appears as -50 ms. The other delays are found in two steps. First, the pairs of onsets
/// are counted for each delay (``DelayCounts``). A delay at which nearly as many hits have a partner as at the measured delay is a
/// candidate. Then up to 24 hits are correlated at this delay. A pattern of different drums on an even grid does not repeat after one
/// step, because its sounds differ.
struct Repetition {
  /// The time after which the music repeats, in seconds.
  let period: Double
  /// The other delays that fit, in seconds, ascending: the nearest one below and the nearest one above the measured delay.
  let delays: [Double]

  /// The smallest share of hits that fit at another delay, relative to the share at the measured delay: of the detected onsets, and of the
  /// correlated sounds.
  private static let (onsetShare, soundShare) = (0.95, 0.8)
  /// The number of hits that are correlated at another delay.
  private static let samples = 24
  /// The greatest distance of two onsets with the same delay, in nanoseconds.
  private static let tolerance: Int64 = 15_000_000

  /// Searches for other delays that fit; nil if there are none.
  ///
  /// - Parameters:
  ///   - reference: the reference.
  ///   - other: the other recording, with the same sample rate.
  ///   - delay: the measured delay in nanoseconds.
  ///   - range: the possible delays minus the measured delay, in nanoseconds.
  ///   - differences: the measured differences of the hits.
  init?(
    reference: AnalysedRecording, other: AnalysedRecording, delay: Int64, range: ClosedRange<Int64>,
    differences: HitDifferences
  ) {
    let counts = DelayCounts(reference: reference.onsets, other: other.onsets, base: delay, range: range)
    guard let first = other.onsets.first, let last = other.onsets.last else { return nil }
    // The share of the hits of the reference within the time of the other recording that have a partner.
    func share(_ bin: Int) -> Double {
      let delay = counts.delay(bin)
      let span = first - Nanoseconds(delay + Self.tolerance)...last - Nanoseconds(delay - Self.tolerance)
      let possible = reference.onsets.count { span.contains($0) }
      return Double(counts.pairs(bin)) / Double(max(possible, 1))
    }
    let (measured, pairs) = (share(0), counts.pairs(0))
    func fits(_ bin: Int) -> Bool {
      // Bins of the measured delay are too near. Of the bins of another delay, the one with the most pairs counts.
      abs(bin) > 4 * DelayCounts.neighbours && 2 * counts.pairs(bin) >= max(pairs, 2 * DelaySearch.fewestHits)
        && (bin - 4...bin + 4).allSatisfy { counts.pairs($0) <= counts.pairs(bin) }
        && share(bin) >= Self.onsetShare * measured
        && Self.soundsAlike(reference, other, delay: counts.delay(bin), differences)
    }
    let bins = counts.occupied.sorted { abs($0) < abs($1) }
    let nearest = [bins.first { $0 < 0 && fits($0) }, bins.first { $0 > 0 && fits($0) }]
    let found = nearest.compactMap { $0.map(counts.delay) }
    guard let period = found.map({ abs($0 - delay) }).min() else { return nil }
    self.period = Double(period) / 1e9
    delays = found.map { Double($0) / 1e9 }
  }

  /// Whether the hits at `delay`, in nanoseconds, sound alike to the degree that those at the measured delay do. The result is true if no
  /// hit at the measured delay is correlated.
  private static func soundsAlike(
    _ reference: AnalysedRecording, _ other: AnalysedRecording, delay: Int64, _ differences: HitDifferences
  ) -> Bool {
    let correlated = differences.isCorrelated.count { $0 }
    guard correlated > 0 else { return true }
    let correlation = HitCorrelation(rate: reference.recording.rate)
    let (onsets, others) = (reference.onsets, other.onsets)
    // Pairs of hits with this delay.
    let pairs = stride(from: 0, to: onsets.count, by: max(onsets.count / samples, 1)).compactMap { index in
      let expected = onsets[index] + Nanoseconds(delay)
      let next = others.firstIndex(bySearching: { $0 >= expected - Nanoseconds(tolerance) })
      return next < others.count && others[next] <= expected + Nanoseconds(tolerance) ? (index, next) : nil
    }
    // The number of pairs that may sound different.
    let share = Double(correlated) / Double(differences.isCorrelated.count)
    var allowed = Int((Double(pairs.count) * (1 - soundShare * share)).rounded(.down))
    for (a, b) in pairs {
      let found = correlation.matches(
        reference.frames[a], in: reference.recording.samples, near: other.frames[b], in: other.recording.samples)
      if (differences.isInverted ? found.inverted : found.upright)?.isSameSound != true { allowed -= 1 }
      if allowed < 0 { return false }
    }
    return true
  }
}

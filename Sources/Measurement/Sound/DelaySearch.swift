import MusicalTime

/// Finds the delay and the drift of a recording against the reference by their onsets, if the recordings did not begin
/// together.
///
/// The differences of all pairs of onsets are counted in bins of 5 ms. Only the true delay is that of many pairs, and it
/// is that of more pairs than a delay that is wrong by a whole bar. A drift spreads the differences, so the line through
/// the pairs near the delay is fitted, the onsets near the line are assigned again, and so on until nothing changes.
struct DelaySearch {
  /// The delay and the drift.
  private(set) var line = AlignmentLine()
  /// A note if another delay fits nearly as well; nil if the delay is unique.
  private(set) var note: String?

  /// The smallest number of onsets in common.
  static let fewestHits = 4
  /// The onsets of each recording that are compared with each other.
  private static let limit = 4_000
  /// The width of a bin, and the number of bins on each side that are added.
  private static let (bin, neighbours): (Int64, Int) = (5_000_000, 2)
  /// The greatest delay, an hour.
  private static let greatestDelay: Int64 = 3_600_000_000_000
  /// The distance from the line at which an onset is assigned.
  private static let tolerance = 30e6

  /// Searches the delay; nil if no delay has enough pairs.
  ///
  /// - Parameters:
  ///   - reference: the onsets of the reference, ascending.
  ///   - other: the onsets of the recording, ascending.
  init?(reference: [Instant], other: [Instant]) {
    guard let first = reference.first, let second = other.first else { return nil }
    // Differences are relative to that of the first onsets, because the clocks can be unrelated.
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
    // Of equal delays, the one closest to the difference of the first onsets.
    guard
      let best = bins.keys.max(by: { (pairs($0), -abs($0), $0) < (pairs($1), -abs($1), $1) }),
      pairs(best) >= Self.fewestHits
    else { return nil }
    let runnerUp = bins.keys.filter { abs($0 - best) > 4 * Self.neighbours }.max { pairs($0) < pairs($1) }
    if let runnerUp, Double(pairs(runnerUp)) > 0.95 * Double(pairs(best)) {
      let seconds = Double((runnerUp - best)) * Double(Self.bin) / 1e9
      note =
        "the delay is ambiguous, because the music repeats: a delay that differs by \((seconds as Double?).fixed(2)) s fits "
        + "nearly as well; record a unique beginning"
    }
    line = AlignmentLine(
      origin: first, delay: base + Int64((Double(best) + 0.5) * Double(Self.bin)), slope: 0)
    for _ in 0..<20 {
      let next = Self.refined(line, reference: reference, other: other)
      let isStable = abs(next.slope - line.slope) < 1e-9 && abs(next.delay - line.delay) < 1000
      line = next
      if isStable { break }
    }
  }

  /// Returns the line through the differences of the onsets near `line`.
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
    // Sample clocks differ by at most some hundred parts per million. A steeper line is that of wrong pairs.
    let slope = min(max((fit.partsPerMillion ?? 0) / 1e6, -2e-3), 2e-3)
    return AlignmentLine(origin: line.origin, delay: line.delay + Int64(value.rounded()), slope: slope)
  }
}

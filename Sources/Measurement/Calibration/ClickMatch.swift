/// The assignment of onsets to the clicks of a pattern: the shift of the pattern at which enough clicks have an onset.
///
/// Each pair of a click and an onset proposes a shift. The true shift is proposed by most clicks, and a wrong one by few, because the
/// pattern is irregular. The onsets of an echo propose a later shift than the direct sound. Therefore, of all shifts with enough
/// clicks, the earliest one is the result.
struct ClickMatch {
  /// The index of the click, and the onset minus the click in seconds, for each click with an onset, in the order of the clicks.
  private(set) var pairs: [(click: Int, shift: Double)]

  /// The result of the search.
  enum Outcome {
    case found(ClickMatch)
    /// The greatest number of clicks with an onset is too small.
    case tooFew(Int)
    /// An earlier shift, in seconds, has nearly enough clicks, so it may be the direct sound.
    case ambiguous(Double, Double)
  }

  /// The shifts of the clicks of one sound differ by at most this, in seconds: the errors of the onsets, and a rate of the recording
  /// clock that is wrong by up to 300 ppm.
  private static let width = 0.004
  /// Shifts that are closer than this, in seconds, belong to one sound.
  private static let separation = 0.010

  /// Finds the shift of `clicks`.
  ///
  /// - Parameters:
  ///   - clicks: the instants of the clicks in seconds, ascending.
  ///   - required: the number of clicks that must have an onset.
  ///   - onsets: the onsets in seconds, ascending.
  ///   - range: the possible shifts in seconds.
  static func find(_ clicks: [Double], required: Int, in onsets: [Double], range: ClosedRange<Double>) -> Outcome {
    let candidates = candidates(clicks, in: onsets, range: range)
    let most = candidates.map(\.pairs.count).max() ?? 0
    guard let best = candidates.first(where: { $0.pairs.count >= required }) else { return .tooFew(most) }
    // Three clicks fewer than required are far more than a wrong shift has by chance.
    if let earlier = candidates.first(where: { $0.pairs.count >= required - 3 }), earlier.center < best.center {
      return .ambiguous(earlier.center, best.center)
    }
    return .found(best)
  }

  /// The median shift in seconds.
  var center: Double { pairs.map(\.shift).sorted()[pairs.count / 2] }

  /// Returns the shifts with more than one click, ascending, each with as many clicks as possible.
  static func candidates(_ clicks: [Double], in onsets: [Double], range: ClosedRange<Double>) -> [ClickMatch] {
    var proposals: [(shift: Double, click: Int)] = []
    for (index, click) in clicks.enumerated() {
      for onset in onsets where range.contains(onset - click) { proposals.append((onset - click, index)) }
    }
    proposals.sort { $0.shift < $1.shift }
    var candidates: [ClickMatch] = []
    var end = 0
    for start in proposals.indices {
      while end < proposals.count, proposals[end].shift - proposals[start].shift <= width { end += 1 }
      // Onsets are 40 ms apart, so a click has at most one of them within the width.
      guard end - start > 1 else { continue }
      let match = ClickMatch(
        pairs: proposals[start..<end].map { ($0.click, $0.shift) }.sorted { $0.click < $1.click })
      if let last = candidates.last, match.center - last.center < separation {
        if match.pairs.count > last.pairs.count { candidates[candidates.count - 1] = match }
      } else {
        candidates.append(match)
      }
    }
    return candidates
  }
}

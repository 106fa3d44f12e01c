import MusicalTime

/// Which runs of one trace are which of another.
///
/// Runs keep their order. When both traces have as many, the first goes with the first, and so on. When one has fewer
/// (its peer came late, or was not there for a start), as many as possible are matched, and among those matchings the
/// one whose runs lie closest together in time is taken: an alignment by dynamic programming, as of two sequences of
/// letters (S. Needleman and C. Wunsch, J. Mol. Biol. 48, 1970). Two runs lie as far apart as the first ticks that both
/// may hold. Runs without such ticks are not matched.
struct RunMatching {
  /// Indices into the runs of the first and of the second trace, both rising.
  let pairs: [(Int, Int)]

  /// More starts than this in one trace are refused: the work grows with their square.
  static let limit = 1_000

  init(_ first: [ArraySlice<TraceTick>], _ second: [ArraySlice<TraceTick>], lead: Nanoseconds) {
    struct Best {
      var pairs = 0
      var apart = 0.0
      var matches = false
    }
    // best[i][j] is the best matching of the first i runs with the first j of the other.
    var best = [[Best]](repeating: [Best](repeating: Best(), count: second.count + 1), count: first.count + 1)
    for i in first.indices {
      for j in second.indices {
        let (above, left) = (best[i][j + 1], best[i + 1][j])
        let skip = (above.pairs, -above.apart) >= (left.pairs, -left.apart) ? above : left
        var chosen = Best(pairs: skip.pairs, apart: skip.apart)
        if let apart = Self.distance(first[i], second[j], lead: lead) {
          let match = Best(pairs: best[i][j].pairs + 1, apart: best[i][j].apart + apart, matches: true)
          if (match.pairs, -match.apart) >= (chosen.pairs, -chosen.apart) { chosen = match }
        }
        best[i + 1][j + 1] = chosen
      }
    }
    var pairs: [(Int, Int)] = []
    var (i, j) = (first.count, second.count)
    while i > 0, j > 0 {
      if best[i][j].matches {
        (i, j) = (i - 1, j - 1)
        pairs.append((i, j))
      } else if (best[i - 1][j].pairs, -best[i - 1][j].apart) >= (best[i][j - 1].pairs, -best[i][j - 1].apart) {
        i -= 1
      } else {
        j -= 1
      }
    }
    self.pairs = pairs.reversed()
  }

  /// How far apart in seconds the first ticks lie from which on both runs may have ticks in common; nil when there is
  /// none.
  private static func distance(
    _ first: ArraySlice<TraceTick>, _ second: ArraySlice<TraceTick>, lead: Nanoseconds
  ) -> Double? {
    guard let a = first.first, let b = second.first else { return nil }
    let start = a.tick < b.tick ? b.tick : a.tick
    guard let a = tick(notBefore: start, in: first), let b = tick(notBefore: start, in: second) else { return nil }
    return (b.due - lead - a.due).seconds.magnitude
  }

  private static func tick(notBefore tick: Tick, in run: ArraySlice<TraceTick>) -> TraceTick? {
    var (low, high) = (run.startIndex, run.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if run[middle].tick < tick { low = middle + 1 } else { high = middle }
    }
    return low < run.endIndex ? run[low] : nil
  }
}

import MusicalTime

/// The assignment of the runs of one trace to the runs of another. A run is one playback of a rhythm, from a start to a
/// stop (``Trace/runs``).
///
/// Runs keep their order. If both traces have the same number of runs, they are assigned in order. If one trace has
/// fewer runs (its peer joined late or missed a start), the assignment with the maximum number of pairs is chosen. If several
/// assignments have this number of pairs, the one with the minimum total distance in time is chosen. This is a sequence
/// alignment by dynamic programming (S. Needleman and C. Wunsch, J. Mol. Biol. 48, 1970).
///
/// The distance of two runs is the time between two ticks, one of each run. Each of them is the first tick of its run whose number
/// is at least the larger of the two starting tick numbers. If a run has no such tick, the runs are never assigned to each other.
struct RunMatching {
  /// Indices into the runs of the first and of the second trace, both ascending.
  let pairs: [(Int, Int)]

  /// The maximum number of runs per trace. The work grows with the square of this number.
  static let limit = 1_000

  /// Assigns the runs.
  ///
  /// - Parameters:
  ///   - first: the due instants of the first trace.
  ///   - second: the due instants of the second trace.
  ///   - clockOffset: the second trace's clock minus the first trace's clock.
  init(_ first: DueTicks, _ second: DueTicks, clockOffset: Nanoseconds) {
    struct Best {
      var pairs = 0
      /// The sum of the distances of all pairs in seconds.
      var totalDistance = 0.0
      /// For `best[i][j]`: whether run i - 1 of the first trace and run j - 1 of the second trace are assigned to each other.
      var matches = false
    }
    // best[i][j] is the best assignment of the first i runs of the first trace to the first j runs of the second.
    var best = [[Best]](
      repeating: [Best](repeating: Best(), count: second.runs.count + 1),
      count: first.runs.count + 1)
    for i in first.runs.indices {
      for j in second.runs.indices {
        // `above` leaves run i of the first trace unassigned, `left` leaves run j of the second trace unassigned. Of two
        // assignments, the one with more pairs is better; with equal pairs, the one with the smaller total distance.
        let (above, left) = (best[i][j + 1], best[i + 1][j])
        let skip = (above.pairs, -above.totalDistance) >= (left.pairs, -left.totalDistance) ? above : left
        var chosen = Best(pairs: skip.pairs, totalDistance: skip.totalDistance)
        if let distance = Self.distance(first, i, second, j, clockOffset: clockOffset) {
          let match = Best(
            pairs: best[i][j].pairs + 1, totalDistance: best[i][j].totalDistance + distance, matches: true)
          if (match.pairs, -match.totalDistance) >= (chosen.pairs, -chosen.totalDistance) { chosen = match }
        }
        best[i + 1][j + 1] = chosen
      }
    }
    // The pairs are read from the end of the table to its beginning.
    var pairs: [(Int, Int)] = []
    var (i, j) = (first.runs.count, second.runs.count)
    while i > 0, j > 0 {
      if best[i][j].matches {
        (i, j) = (i - 1, j - 1)
        pairs.append((i, j))
      } else {
        let (above, left) = (best[i - 1][j], best[i][j - 1])
        if (above.pairs, -above.totalDistance) >= (left.pairs, -left.totalDistance) { i -= 1 } else { j -= 1 }
      }
    }
    self.pairs = pairs.reversed()
  }

  /// Returns the time in seconds between the first ticks of the two runs at or after the larger of the two starting tick
  /// numbers; nil if a run has no such tick.
  private static func distance(
    _ first: DueTicks, _ i: Int, _ second: DueTicks, _ j: Int, clockOffset: Nanoseconds
  ) -> Double? {
    let (run, other) = (first.runs[i], second.runs[j])
    let start = max(run.firstTick, other.firstTick)
    guard let a = first.index(notBefore: start, in: run), let b = second.index(notBefore: start, in: other) else {
      return nil
    }
    return (Instant(nanoseconds: second.due[b]) - clockOffset - Instant(nanoseconds: first.due[a])).seconds.magnitude
  }
}

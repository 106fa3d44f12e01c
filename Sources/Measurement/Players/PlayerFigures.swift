// The figures of one player and of two players, from their actions on a grid.

extension PlayersReport.Player {
  /// Calculates the figures of a player without a grid: only the figures of the intervals.
  ///
  /// - Parameters:
  ///   - name: the name of the player.
  ///   - count: the number of all actions.
  ///   - actions: the actions on the even pulse of the player.
  init(_ name: String, actions count: Int, on actions: [GridAction]) {
    self.init(
      name: name, actions: count, outside: 0, double: 0, asynchrony: nil, asynchronyAutocorrelation: nil, phases: nil,
      intervals: .init(of: actions))
  }

  /// Calculates the figures of a player on a grid.
  ///
  /// - Parameters:
  ///   - name: the name of the player.
  ///   - count: the number of all actions.
  ///   - actions: the actions on the grid.
  ///   - outside: the number of actions while no rhythm played.
  ///   - double: the number of actions that were dropped.
  ///   - phases: the phases of all actions on the grid, including those that were dropped.
  init(_ name: String, actions count: Int, on actions: [GridAction], outside: Int, double: Int, phases: [Double]) {
    self.init(
      name: name, actions: count, outside: outside, double: double,
      asynchrony: Distribution(actions.map(\.asynchrony)),
      asynchronyAutocorrelation: Correlation.coefficient(
        GridAction.consecutive(actions).map { ($0.0.asynchrony, $0.1.asynchrony) }),
      phases: CircularFigures(phases), intervals: .init(of: actions))
  }
}

extension GridAction {
  /// Returns the pairs of consecutive actions of a player in the same run.
  static func consecutive(_ actions: [GridAction]) -> [(GridAction, GridAction)] {
    zip(actions, actions.dropFirst()).filter { $0.run == $1.run }
  }

  /// Returns, for each interval between consecutive actions, its length minus the time between their lines, in nanoseconds. This is the
  /// difference of the two asynchronies. The key is the line at which the interval ends.
  static func deviations(of actions: [GridAction]) -> [GridAction.Key: Double] {
    Dictionary(uniqueKeysWithValues: consecutive(actions).map { ($1.key, $1.asynchrony - $0.asynchrony) })
  }
}

extension PlayersReport.Intervals {
  /// Calculates the figures of the intervals between consecutive actions whose distance is the most frequent number of lines. If several
  /// numbers are equally frequent, the smallest of them is used. Nil without an interval.
  init?(of actions: [GridAction]) {
    let pairs = GridAction.consecutive(actions)
    let counts = Dictionary(grouping: pairs) { $1.line - $0.line }.mapValues(\.count)
    guard let lines = counts.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) })?.key else { return nil }
    func length(_ pair: (GridAction, GridAction)) -> Double? {
      pair.1.line - pair.0.line == lines ? Double(pair.1.instant - pair.0.instant) : nil
    }
    guard let lengths = Distribution(pairs.compactMap(length)) else { return nil }
    // Pairs of intervals in which one interval begins where the other one ends.
    let successive = zip(pairs, pairs.dropFirst()).compactMap { first, second -> (Double, Double)? in
      guard first.1 == second.0, let a = length(first), let b = length(second) else { return nil }
      return (a, b)
    }
    // The changes of the asynchrony, unlike the lengths, do not contain the changes of the tempo of a rhythm.
    var rows: [CorrectionFit.Row] = []
    var last: GridAction?
    for pair in pairs where length(pair) != nil {
      rows.append(
        .init(regressors: [], value: pair.1.asynchrony - pair.0.asynchrony, continues: last == pair.0))
      last = pair.1
    }
    let noise = CorrectionFit(rows, bound: .none)
    self.init(
      lines: lines, length: lengths, variation: lengths.standardDeviation.map { $0 / lengths.mean },
      autocorrelation: Correlation.coefficient(successive), timekeeper: noise?.timekeeper, movement: noise?.movement)
  }
}

extension PlayersReport {
  /// Returns the figures of all pairs of players.
  ///
  /// - Parameters:
  ///   - names: the names of the players.
  ///   - actions: returns the actions of two players on common lines, and the number of actions without a counterpart.
  static func pairs(
    _ names: [String], _ actions: (Int, Int) -> ([GridAction], [GridAction], unmatched: Int?)
  ) -> [Pair] {
    names.indices.flatMap { a in
      names.indices[(a + 1)...].map { b in
        let (first, second, unmatched) = actions(a, b)
        return Pair(names[a], first, names[b], second, unmatched: unmatched)
      }
    }
  }
}

extension PlayersReport.Pair {
  fileprivate init(
    _ name: String, _ actions: [GridAction], _ otherName: String, _ others: [GridAction], unmatched: Int?
  ) {
    let lines = Dictionary(uniqueKeysWithValues: others.map { ($0.key, $0) })
    let common = actions.compactMap { action in
      lines[action.key].map { (difference: action.asynchrony - $0.asynchrony, unit: action.unit) }
    }
    let deviations = (GridAction.deviations(of: actions), GridAction.deviations(of: others))
    self.init(
      first: name, second: otherName, unmatched: unmatched, asynchrony: Distribution(common.map(\.difference)),
      phases: CircularFigures(common.map { $0.difference / $0.unit * 2 * .pi }),
      crossCorrelation: (-PlayersAnalysis.greatestLag...PlayersAnalysis.greatestLag).map {
        Self.crossCorrelation(deviations.0, deviations.1, lag: $0)
      })
  }

  /// Returns the correlation between the deviation of the first player at each common line and the deviation of the second player `lag`
  /// common lines later. Nil with fewer than ten pairs, or if the deviations of a player are constant.
  ///
  /// - Parameters:
  ///   - first: the deviations of the intervals of the first player (``GridAction/deviations(of:)``).
  ///   - second: the deviations of the intervals of the second player.
  ///   - lag: the lag in common lines; negative: the second player is earlier.
  private static func crossCorrelation(
    _ first: [GridAction.Key: Double], _ second: [GridAction.Key: Double], lag: Int
  ) -> Double? {
    let lines = first.keys.filter { second[$0] != nil }.sorted { ($0.run, $0.line) < ($1.run, $1.line) }
    let pairs = lines.indices.compactMap { index -> (Double, Double)? in
      let other = index + lag
      guard lines.indices.contains(other), lines[other].run == lines[index].run else { return nil }
      return (first[lines[index]]!, second[lines[other]]!)
    }
    return Correlation.coefficient(pairs)
  }
}

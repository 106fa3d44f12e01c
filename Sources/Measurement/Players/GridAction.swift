import MusicalTime

/// An action on the grid of the rhythm: the nearest line and the distance to it.
struct GridAction: Hashable {
  /// The run of the rhythm, counted as in the first trace; the runs that the first trace lacks have negative numbers.
  let run: Int
  /// The number of the line, from tick 0.
  let line: Int64
  /// The instant of the action minus the instant of the line, nanoseconds.
  let asynchrony: Double
  /// The distance of two lines at the tempo of the action, nanoseconds.
  let unit: Double
  /// The instant of the action, nanoseconds.
  let instant: Int64

  /// Places the actions of a player on the grid.
  ///
  /// Of several actions nearest to the same line, the nearest one counts.
  ///
  /// - Parameters:
  ///   - player: the actions and the ticks.
  ///   - ticksPerLine: the distance of two lines in ticks.
  ///   - runs: the number of each run of the player's trace.
  /// - Returns: the actions on lines, ascending by run and line; the number of actions while no rhythm played, and of
  ///   those with a nearer one on the same line.
  static func place(
    _ player: PlayerTrace, ticksPerLine: Int, runs: [Int]
  ) -> (actions: [GridAction], outside: Int, double: Int) {
    var (best, outside, double): ([Key: GridAction], Int, Int) = ([:], 0, 0)
    for action in player.actions {
      guard let place = place(action.instant.nanoseconds, player.ticks, ticksPerLine, runs) else {
        outside += 1
        continue
      }
      let key = Key(run: place.run, line: place.line)
      if let other = best[key] {
        double += 1
        if abs(other.asynchrony) <= abs(place.asynchrony) { continue }
      }
      best[key] = place
    }
    let actions = best.values.sorted { ($0.run, $0.line) < ($1.run, $1.line) }
    return (actions, outside, double)
  }

  /// A line of a run.
  struct Key: Hashable {
    let run: Int
    let line: Int64
  }

  /// Returns the place of an instant; nil if no run of the rhythm contains it. A run extends by a tick on each side.
  private static func place(
    _ instant: Int64, _ ticks: DueTicks, _ ticksPerLine: Int, _ runs: [Int]
  ) -> GridAction? {
    for (number, run) in ticks.runs.enumerated() where run.range.count >= 2 {
      let (first, last) = (run.range.lowerBound, run.range.upperBound - 1)
      let span = Double(ticks.due[last] - ticks.due[first])
      let mean = span / Double(max(ticks.tick(last, in: run) - ticks.tick(first, in: run), 1))
      guard Double(instant - ticks.due[first]) >= -mean, Double(instant - ticks.due[last]) <= mean else { continue }
      // The last tick that is due before the action, but not the last one of the run.
      var (low, high) = (first, last)
      while high - low > 1 {
        let middle = (low + high) / 2
        if ticks.due[middle] <= instant { low = middle } else { high = middle }
      }
      let step = Double(max(ticks.tick(high, in: run) - ticks.tick(low, in: run), 1))
      let length = Double(ticks.due[high] - ticks.due[low]) / step
      guard length > 0 else { return nil }
      let position = Double(ticks.tick(low, in: run)) + Double(instant - ticks.due[low]) / length
      let line = (position / Double(ticksPerLine)).rounded()
      return GridAction(
        run: runs[number], line: Int64(line), asynchrony: (position - line * Double(ticksPerLine)) * length,
        unit: length * Double(ticksPerLine), instant: instant)
    }
    return nil
  }
}

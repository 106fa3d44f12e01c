import MusicalTime

/// An action of a player, placed on the nearest line of a grid in musical time.
///
/// The lines of the grid are equally spaced ticks, for example all sixteenth notes. The asynchrony is the time by which the action is later
/// than its line.
struct GridAction: Hashable {
  /// The number of the run: the index of the corresponding run in the first of the traces that ``PlayersAnalysis`` compares. A run
  /// without a counterpart in the first trace has a negative number.
  let run: Int
  /// The number of the line. Line 0 is tick 0.
  let line: Int64
  /// The instant of the action minus the instant of the line in nanoseconds.
  let asynchrony: Double
  /// The distance between two lines at the tempo of the action in nanoseconds.
  let unit: Double
  /// The instant of the action in nanoseconds of the peer's local time.
  let instant: Int64

  /// Places the actions of a player on the grid.
  ///
  /// If several actions have the same nearest line, only the action nearest to the line is used.
  ///
  /// - Parameters:
  ///   - player: the actions and the ticks.
  ///   - ticksPerLine: the distance between two lines in ticks.
  ///   - runs: for each run of the player's trace, the value of ``run``.
  /// - Returns: the actions on the grid, ascending by run and line; the number of actions while no rhythm played (outside); the number of
  ///   actions that were dropped because another action is nearer to the same line (double); and the phases of all actions while a rhythm
  ///   played, in the order of the trace: the asynchrony as an angle in radians.
  static func place(
    _ player: PlayerTrace, ticksPerLine: Int, runs: [Int]
  ) -> (actions: [GridAction], outside: Int, double: Int, phases: [Double]) {
    var (best, outside, double): ([Key: GridAction], Int, Int) = ([:], 0, 0)
    var phases: [Double] = []
    for action in player.actions {
      guard let place = place(action.instant.nanoseconds, player.ticks, ticksPerLine, runs) else {
        outside += 1
        continue
      }
      phases.append(place.asynchrony / place.unit * 2 * .pi)
      if let other = best[place.key] {
        double += 1
        if abs(other.asynchrony) <= abs(place.asynchrony) { continue }
      }
      best[place.key] = place
    }
    let actions = best.values.sorted { ($0.run, $0.line) < ($1.run, $1.line) }
    return (actions, outside, double, phases)
  }

  /// The position of the line of the action.
  var key: Key { Key(run: run, line: line) }

  /// The position of a line: the run and the number of the line.
  struct Key: Hashable {
    let run: Int
    let line: Int64
  }

  /// Places an instant, in nanoseconds, on the nearest line; nil if no run contains the instant.
  ///
  /// A run is extended by the length of a tick before its first tick and after its last tick. The position between two ticks is
  /// interpolated linearly.
  private static func place(
    _ instant: Int64, _ ticks: DueTicks, _ ticksPerLine: Int, _ runs: [Int]
  ) -> GridAction? {
    for (number, run) in ticks.runs.enumerated() where run.range.count >= 2 {
      let (first, last) = (run.range.lowerBound, run.range.upperBound - 1)
      let span = Double(ticks.due[last] - ticks.due[first])
      let mean = span / Double(max(ticks.tick(last, in: run) - ticks.tick(first, in: run), 1))
      guard Double(instant - ticks.due[first]) >= -mean, Double(instant - ticks.due[last]) <= mean else { continue }
      // The two ticks around the instant, by binary search. Outside the run, these are its first or its last two ticks.
      var (low, high) = (first, last)
      while high - low > 1 {
        let middle = (low + high) / 2
        if ticks.due[middle] <= instant { low = middle } else { high = middle }
      }
      // Lost ticks are missing in the trace, so the two ticks can be several ticks apart.
      let distance = Double(max(ticks.tick(high, in: run) - ticks.tick(low, in: run), 1))
      let length = Double(ticks.due[high] - ticks.due[low]) / distance
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

import MusicalTime

/// The analysis of how players play together, for `tutti measure players`. It compares the actions of one or more players with the grid of
/// the rhythm and with each other.
public struct PlayersAnalysis: Sendable {
  /// The figures.
  public var report: PlayersReport
  /// For each player, the actions on the grid.
  private let placed: [[GridAction]]
  /// The clock of each trace minus the clock of the first trace, in nanoseconds.
  private let clockOffsets: [Int64]

  /// The largest lag of the cross-correlation, in common lines. A common line of two players is a line at which an interval of each of
  /// them ends.
  static let greatestLag = 4

  /// Measures the actions of one or more players.
  ///
  /// The traces are released as soon as the actions are on the grid, unless the caller keeps a copy. The ticks of a day take 50 MB per
  /// trace.
  ///
  /// - Parameters:
  ///   - traces: the traces of the players.
  ///   - ticksPerLine: the distance between two lines of the grid in ticks, at least 1. 6 is a sixteenth note.
  ///   - clockOffsets: the clock of each trace minus a common clock; empty if all traces share a clock. If the traces have different
  ///     numbers of runs, the offsets determine which runs belong together. The offsets also place the actions in the plot.
  /// - Throws: ``ReportError`` without a trace, for a trace with more than 1000 runs, or if no trace has an action.
  ///
  /// Real-time: not safe.
  public init(_ traces: consuming [PlayerTrace], ticksPerLine: Int, clockOffsets: [Nanoseconds] = [])
    throws(ReportError)
  {
    // Unlike a consuming parameter, a variable can be iterated.
    var traces = traces
    for trace in traces { try trace.ticks.checkRuns(of: trace.name) }
    guard traces.contains(where: { !$0.actions.isEmpty }) else {
      throw ReportError(
        subject: "traces", reason: "none of them contains an action of a player",
        remedy: "give traces of peers whose players have played notes")
    }
    let names = traces.map(\.name)
    let offsets = traces.indices.map { clockOffsets.isEmpty ? .zero : clockOffsets[$0] - clockOffsets[0] }
    self.clockOffsets = offsets.map(\.count)
    let results = traces.enumerated().map { index, trace in
      GridAction.place(
        trace, ticksPerLine: ticksPerLine,
        runs: Self.runNumbers(of: trace.ticks, index: index, in: traces[0].ticks, clockOffset: offsets[index]))
    }
    placed = results.map(\.actions)
    var notes: [String] = []
    for (trace, result) in zip(traces, results) where result.actions.isEmpty {
      notes.append("\(trace.name): no action while the rhythm played")
    }
    let starts = traces[0].ticks.runs.count
    for trace in traces where trace.ticks.runs.count != starts {
      let count = trace.ticks.runs.count
      notes.append(
        "\(trace.name): \(count) \(count == 1 ? "start" : "starts") of the rhythm, but \(names[0]) has "
          + "\(starts), so the starts are matched by time; if the peers ran on different machines or in "
          + "different Linux time namespaces, give --clock-ahead")
    }
    let counts = traces.map(\.actions.count)
    traces.removeAll()
    let players = results.enumerated().map { index, result in
      PlayersReport.Player(
        name: names[index], actions: counts[index], outside: result.outside, double: result.double,
        asynchrony: Distribution(result.actions.map(\.asynchrony)),
        asynchronyAutocorrelation: Correlation.coefficient(
          Self.consecutive(result.actions).map { ($0.0.asynchrony, $0.1.asynchrony) }),
        intervals: Self.intervals(of: result.actions))
    }
    let deviations = placed.map(Self.deviations)
    var pairs: [PlayersReport.Pair] = []
    for a in placed.indices {
      for b in placed.indices where b > a {
        let others = Self.byLine(placed[b])
        let common = placed[a].compactMap { action in
          others[action.key].map { action.asynchrony - $0.asynchrony }
        }
        pairs.append(
          PlayersReport.Pair(
            first: names[a], second: names[b], asynchrony: Distribution(common),
            crossCorrelation: (-Self.greatestLag...Self.greatestLag).map {
              Self.crossCorrelation(deviations[a], deviations[b], lag: $0)
            }))
      }
    }
    let gains = Self.gains(placed, names: names)
    if gains.isEmpty {
      notes.append("no correction gain: too few lines of the grid on which all players play")
    }
    report = PlayersReport(
      provenance: nil, ticksPerLine: ticksPerLine, players: players, pairs: pairs, gains: gains, notes: notes)
  }

  /// Writes the CSV output: a line with the column titles, and one line for each action on the grid.
  ///
  /// - Parameter output: is called with each line, without a line end.
  ///
  /// Real-time: not safe.
  public func writeRows(_ output: (String) -> Void) {
    output("player,run,line,asynchrony_ns,line_distance_ns")
    for (player, actions) in zip(report.players, placed) {
      for action in actions {
        output(
          "\(player.name.quotedForCSV),\(action.run),\(action.line),\(action.asynchrony.fixed(1)),"
            + action.unit.fixed(1))
      }
    }
  }

  /// Returns the value of ``GridAction/run`` for each run of a trace: the index of the corresponding run of the first trace. A run without
  /// a counterpart gets a negative number that no run of another trace has.
  ///
  /// - Parameters:
  ///   - ticks: the ticks of the trace.
  ///   - index: the index of the trace.
  ///   - first: the ticks of the first trace.
  ///   - clockOffset: the clock of the trace minus the clock of the first trace.
  private static func runNumbers(of ticks: DueTicks, index: Int, in first: DueTicks, clockOffset: Nanoseconds) -> [Int]
  {
    var numbers = ticks.runs.indices.map { -1 - $0 - index * RunMatching.limit }
    for (i, j) in RunMatching(first, ticks, clockOffset: clockOffset).pairs { numbers[j] = i }
    return numbers
  }

  private static func byLine(_ actions: [GridAction]) -> [GridAction.Key: GridAction] {
    Dictionary(uniqueKeysWithValues: actions.map { ($0.key, $0) })
  }

  /// Returns the pairs of consecutive actions of a player in the same run.
  private static func consecutive(_ actions: [GridAction]) -> [(GridAction, GridAction)] {
    zip(actions, actions.dropFirst()).filter { $0.run == $1.run }
  }

  /// Returns the figures of the intervals between consecutive actions whose distance is the most frequent number of lines. If several
  /// numbers are equally frequent, the smallest of them is used. Nil without an interval.
  private static func intervals(of actions: [GridAction]) -> PlayersReport.Intervals? {
    let pairs = consecutive(actions)
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
    return PlayersReport.Intervals(
      lines: lines, length: lengths, variation: lengths.standardDeviation.map { $0 / lengths.mean },
      autocorrelation: Correlation.coefficient(successive))
  }

  /// Returns, for each interval between consecutive actions, its length minus the time between their lines, in nanoseconds. This is the
  /// difference of the two asynchronies. The key is the line at which the interval ends.
  private static func deviations(of actions: [GridAction]) -> [GridAction.Key: Double] {
    Dictionary(uniqueKeysWithValues: consecutive(actions).map { ($1.key, $1.asynchrony - $0.asynchrony) })
  }

  /// Returns the correlation between the deviation of the first player at each common line and the deviation of the second player `lag`
  /// common lines later. Nil with fewer than ten pairs, or if the deviations of a player are constant.
  ///
  /// - Parameters:
  ///   - first: the deviations of the intervals of the first player (``deviations(of:)``).
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

  /// Returns the correction gains of all players, by least squares.
  ///
  /// The model is: the change of the asynchrony of a player from one action to the next one is minus the sum of (gain * asynchrony), plus a
  /// constant and noise. The sum has one term for the asynchrony to the grid, and one for the asynchrony to each other player. A player
  /// with too few common actions has no gains.
  private static func gains(_ players: [[GridAction]], names: [String]) -> [PlayersReport.Gain] {
    let lines = players.map(byLine)
    var gains: [PlayersReport.Gain] = []
    for (index, actions) in players.enumerated() {
      let others = players.indices.filter { $0 != index }
      var (rows, values): ([[Double]], [Double]) = ([], [])
      for (now, next) in consecutive(actions) {
        let asynchronies = others.compactMap { lines[$0][now.key].map { now.asynchrony - $0.asynchrony } }
        guard asynchronies.count == others.count else { continue }
        rows.append([now.asynchrony] + asynchronies)
        values.append(next.asynchrony - now.asynchrony)
      }
      guard let fit = LeastSquares(rows, values) else { continue }
      // Each gain is minus a coefficient. The first coefficient is that of the grid (nil), the next ones are those of the other players.
      for (place, other) in ([nil] + others.map(Optional.some)).enumerated() {
        gains.append(
          PlayersReport.Gain(
            player: names[index], to: other.map { names[$0] }, gain: -fit.coefficients[place],
            standardError: fit.standardErrors[place]))
      }
    }
    return gains
  }

  /// Returns a gnuplot script that draws the asynchronies of each player to the grid over time, and their histogram.
  /// script contains its data, reads no file, needs gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    // The time of an action is in seconds since the first action of all players. A bin of the histogram is 2 ms wide.
    let starts = zip(placed, clockOffsets).compactMap { actions, offset in actions.map { $0.instant - offset }.min() }
    let (start, width) = (starts.min() ?? 0, 2.0)
    var data = ""
    var (points, histograms): ([String], [String]) = ([], [])
    for (index, player) in report.players.enumerated() where !placed[index].isEmpty {
      data += Gnuplot.data(
        "time\(index)",
        placed[index].map { "\(Double($0.instant - clockOffsets[index] - start) / 1e9) \($0.asynchrony / 1e6)" })
      let bins = Dictionary(grouping: placed[index]) { Int(($0.asynchrony / 1e6 / width).rounded(.down)) }
      data += Gnuplot.data(
        "histogram\(index)",
        bins.sorted { $0.key < $1.key }.map { "\((Double($0.key) + 0.5) * width) \($0.value.count)" })
      let (symbol, title) = (Gnuplot.symbol(index), Gnuplot.quoted(player.name))
      points.append("$time\(index) using 1:2 with points \(symbol) title \(title)")
      histograms.append("$histogram\(index) using 1:2 with linespoints \(symbol) title \(title)")
    }
    return Gnuplot.script(
      picture, title: report.provenance?.title ?? "", data: data,
      [
        Gnuplot.Panel(x: "time since the first action / s", y: "asynchrony to the grid / ms", curves: points),
        Gnuplot.Panel(x: "asynchrony to the grid / ms", y: "actions", curves: histograms),
      ])
  }
}

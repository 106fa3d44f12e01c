import MusicalTime

/// The analysis of how players play together, for `tutti measure players`. It compares the actions of one or more players with the grid of
/// the rhythm and with each other, or, without a rhythm, only with each other.
public struct PlayersAnalysis: Sendable {
  /// The lines with which actions are compared.
  public enum Grid: Hashable, Sendable {
    /// Lines of the rhythm, with this distance in ticks of 1/24 quarter note, at least 1. 6 is a sixteenth note.
    case rhythm(ticksPerLine: Int)
    /// No lines: actions of different players belong together if they are at most this window apart (``OnsetEvents``).
    case onsets(window: Nanoseconds)
  }

  /// The figures.
  public var report: PlayersReport
  /// For each player, the actions on the grid.
  private let placed: [[GridAction]]
  /// The clock of each trace minus the clock of the first trace, in nanoseconds. Without a rhythm, all instants are by the clock of the
  /// first trace, and the offsets are 0.
  private let clockOffsets: [Int64]

  /// Measures the actions of one or more players.
  ///
  /// The traces are released as soon as the actions are on the grid, unless the caller keeps a copy. The ticks of a day take 50 MB per
  /// trace.
  ///
  /// - Parameters:
  ///   - traces: the traces of the players.
  ///   - grid: the lines with which actions are compared.
  ///   - clockOffsets: the clock of each trace minus a common clock; empty if all traces share a clock. With a rhythm, if the traces have
  ///     different numbers of runs, the offsets determine which runs belong together. The offsets also place the actions in the plot.
  /// - Throws: ``ReportError`` without a trace, for a trace with more than 1000 runs, if no trace has an action, or without a rhythm for
  ///   fewer than two players.
  ///
  /// Real-time: not safe.
  public init(_ traces: consuming [PlayerTrace], grid: Grid, clockOffsets: [Nanoseconds] = []) throws(ReportError) {
    // Unlike a consuming parameter, a variable can be iterated.
    var traces = traces
    for trace in traces { try trace.ticks.checkRuns(of: trace.name) }
    guard traces.contains(where: { !$0.actions.isEmpty }) else {
      throw ReportError(
        subject: "traces", reason: "none of them contains an action of a player",
        remedy: "give traces of peers whose players have played notes")
    }
    let names = traces.map(\.name)
    let counts = traces.map(\.actions.count)
    let offsets = traces.indices.map { clockOffsets.isEmpty ? .zero : clockOffsets[$0] - clockOffsets[0] }
    var notes: [String] = []
    switch grid {
    case .rhythm(let ticksPerLine):
      self.clockOffsets = offsets.map(\.count)
      let results = traces.enumerated().map { index, trace in
        GridAction.place(
          trace, ticksPerLine: ticksPerLine,
          runs: Self.runNumbers(of: trace.ticks, index: index, in: traces[0].ticks, clockOffset: offsets[index]))
      }
      for (trace, result) in zip(traces, results) where result.actions.isEmpty {
        notes.append("\(trace.name): no action while the rhythm played")
      }
      notes += Self.notes(aboutStartsOf: traces)
      traces.removeAll()
      let actions = results.map(\.actions)
      placed = actions
      let players = results.enumerated().map { index, result in
        PlayersReport.Player(
          names[index], actions: counts[index], on: result.actions, outside: result.outside, double: result.double,
          phases: result.phases)
      }
      let pairs = PlayersReport.pairs(names) { a, b in (actions[a], actions[b], nil) }
      report = PlayersReport(grid: grid, players: players, pairs: pairs, notes: notes)
    case .onsets(let window):
      guard traces.count > 1 else {
        throw ReportError(
          subject: names[0], reason: "only one player, who cannot be compared without a rhythm",
          remedy: "give two or more players, or a trace that contains a rhythm")
      }
      self.clockOffsets = offsets.map { _ in 0 }
      let instants = zip(traces, offsets).map { trace, offset in
        trace.actions.map { ($0.instant - offset).nanoseconds }.sorted()
      }
      traces.removeAll()
      // The events are those of the player with the most actions, because its actions have the fewest gaps.
      let reference = counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) }!
      placed = OnsetEvents.place(instants, reference: reference, window: window)
      let players = instants.indices.map { index in
        PlayersReport.Player(
          names[index], actions: counts[index],
          on: OnsetEvents.place([instants[index]], reference: 0, window: window)[0])
      }
      let pairs = PlayersReport.pairs(names) { a, b in
        let events = OnsetEvents.place([instants[a], instants[b]], reference: 0, window: window)
        return (events[0], events[1], counts[a] + counts[b] - 2 * events[1].count)
      }
      report = PlayersReport(grid: grid, players: players, pairs: pairs, notes: notes)
    }
    report.group = GroupAsynchrony(placed)
    let spread = Self.spread(in: report, placed)
    guard spread.isEmpty else {
      report.notes += spread.map {
        "\($0): no correction gain, because the asynchronies spread over the whole distance of two lines, so actions are "
          + "assigned to wrong lines; set a larger --grid, or give only the part in which they play together"
      }
      return
    }
    report.corrections = CorrectionModel.all(placed, names: names, hasGrid: report.ticksPerLine != nil)
    if report.gains.isEmpty {
      report.notes.append("no correction gain: too few lines of the grid on which all players play")
    }
  }

  /// The smallest resultant length of the asynchronies for correction gains. Of normally distributed asynchronies with this resultant
  /// length, 0.2 % are nearer to a wrong line.
  private static let leastResultant = 0.6

  /// Returns the names of the players, or without a rhythm of the pairs, whose asynchronies are too widely spread for correction gains.
  ///
  /// - Parameters:
  ///   - report: the report without gains.
  ///   - placed: for each player, the actions on the grid. Actions that were dropped do not count, because a player may play more notes
  ///     than the grid has lines.
  private static func spread(in report: PlayersReport, _ placed: [[GridAction]]) -> [String] {
    let phases =
      report.ticksPerLine == nil
      ? report.pairs.map { ("\($0.first) and \($0.second)", $0.phases) }
      : zip(report.players, placed).map { player, actions in
        (player.name, CircularFigures(actions.map { $0.asynchrony / $0.unit * 2 * .pi }))
      }
    return phases.filter { $0.1.map { $0.resultant.value < leastResultant } ?? false }.map(\.0)
  }

  /// The largest lag of the cross-correlation, in common lines. A common line of two players is a line at which an interval of each of
  /// them ends.
  static let greatestLag = 4

  /// Returns a note about each trace whose number of starts of the rhythm differs from that of the first trace.
  private static func notes(aboutStartsOf traces: [PlayerTrace]) -> [String] {
    let starts = traces[0].ticks.runs.count
    return traces.filter { $0.ticks.runs.count != starts }.map { trace in
      let count = trace.ticks.runs.count
      return "\(trace.name): \(count) \(count == 1 ? "start" : "starts") of the rhythm, but \(traces[0].name) has "
        + "\(starts), so the starts are matched by time; if the peers ran on different machines or in "
        + "different Linux time namespaces, give --clock-ahead"
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

  /// Writes the CSV output: a line with the column titles, and one line for each action on the grid. Without a
  /// rhythm, these are the actions that belong to common events (``OnsetEvents``).
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

  /// Returns a gnuplot script that draws the asynchronies of each player over time, and their histogram: the asynchronies to the grid, or,
  /// without a rhythm, those to the first player, because an even pulse says nothing about the players. The script contains its data,
  /// reads no file, needs gnuplot 5, and writes a picture.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    // The time of an action is in seconds since the first action of all players. A bin of the histogram is 2 ms wide.
    let starts = zip(placed, clockOffsets).compactMap { actions, offset in actions.map { $0.instant - offset }.min() }
    let (start, width) = (starts.min() ?? 0, 2.0)
    let hasGrid = report.window == nil
    let quantity = "asynchrony to \(hasGrid ? "the grid" : report.players.first?.name ?? "") / ms"
    let reference = Dictionary((placed.first ?? []).map { ($0.key, $0.asynchrony) }) { first, _ in first }
    var data = ""
    var (points, histograms): ([String], [String]) = ([], [])
    for (index, player) in report.players.enumerated() where hasGrid || index > 0 {
      // The asynchronies in milliseconds.
      let actions = placed[index].compactMap { action in
        (hasGrid ? 0 : reference[action.key]).map { (action.instant, (action.asynchrony - $0) / 1e6) }
      }
      guard !actions.isEmpty else { continue }
      data += Gnuplot.data(
        "time\(index)", actions.map { "\(Double($0.0 - clockOffsets[index] - start) / 1e9) \($0.1)" })
      data += Gnuplot.data("histogram\(index)", Self.histogram(actions.map(\.1), width: width))
      let (symbol, title) = (Gnuplot.symbol(index), Gnuplot.quoted(player.name))
      points.append("$time\(index) using 1:2 with points \(symbol) notitle")
      points.append(Gnuplot.keyEntry(index, player.name))
      histograms.append("$histogram\(index) using 1:2 with linespoints \(symbol) title \(title)")
    }
    return Gnuplot.script(
      picture, title: report.provenance?.title ?? "", data: data,
      [
        Gnuplot.Panel(x: "time since the first action / s", y: quantity, curves: points),
        Gnuplot.Panel(x: quantity, y: "actions", settings: ["set yrange [0:*]"], curves: histograms),
      ])
  }

  /// Returns the lines of a histogram: the middle of each bin, and the number of values in it. An empty bin has the number 0. An empty bin
  /// before the first value and one after the last value close the curve.
  ///
  /// - Parameters:
  ///   - values: the values in milliseconds.
  ///   - width: the width of a bin in milliseconds.
  private static func histogram(_ values: [Double], width: Double) -> [String] {
    let counts = Dictionary(values.map { (Int(($0 / width).rounded(.down)), 1) }, uniquingKeysWith: +)
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return [] }
    return (first - 1...last + 1).map { "\((Double($0) + 0.5) * width) \(counts[$0] ?? 0)" }
  }
}

extension PlayersReport: CustomStringConvertible {
  /// The report as text tables, with notes and the provenance at the end, as `tutti measure players` prints it.
  public var description: String {
    var text = ticksPerLine.map(gridText) ?? ""
    text += intervalsText
    if !pairs.isEmpty { text += pairsText }
    if let group {
      text +=
        "\nGroup asynchrony (RMS over all pairs of players), us: \(group.rms.text(3, scale: 1e-3)), "
        + "\(group.events) events\n"
    }
    if !gains.isEmpty { text += gainsText }
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }

  /// The tables of the asynchronies to the grid.
  private func gridText(ticks: Int) -> String {
    let asynchronies = TextTable(
      columns: ["", "actions", "outside", "double"] + Distribution.columns + ["lag 1"],
      rows: players.map { player in
        [player.name, "\(player.actions)", "\(player.outside)", "\(player.double)"] + player.asynchrony.row
          + [player.asynchronyAutocorrelation.fixed(3)]
      })
    var text = "Asynchrony to the grid of \(ticks) ticks, us; positive: late\n\(asynchronies)"
    text += "outside: actions while no rhythm played\n"
    text += "double: actions that are not measured, because another action is nearer to the same line\n"
    text += "lag 1: correlation of each asynchrony with the next one\n\n"
    return text
      + circularText(
        "Phase of the actions between two lines of the grid", players.map { ([$0.name], $0.phases) }, wordColumns: 1)
  }

  /// The tables of the intervals of each player.
  private var intervalsText: String {
    let table = TextTable(
      columns: ["", "lines", "count", "mean", "sd", "variation %", "lag 1"],
      rows: players.map { player in
        let (intervals, length) = (player.intervals, player.intervals?.length)
        return [
          player.name, intervals.map { "\($0.lines)" } ?? "-", "\(length?.count ?? 0)", (length?.mean).microseconds,
          (length?.standardDeviation).microseconds, (intervals?.variation).fixed(3, scale: 100),
          (intervals?.autocorrelation).fixed(3),
        ]
      })
    let lines = ticksPerLine == nil ? "multiples of the median interval" : "grid lines"
    var text = "Intervals between consecutive actions, us; only intervals of the most frequent number of \(lines)\n"
    text += "\(table)lag 1: correlation of each interval with the next one\n"
    guard players.contains(where: { $0.intervals?.timekeeper != nil }) else { return text }
    let noise = TextTable(
      columns: ["", "timekeeper sd, us", "motor sd, us"],
      rows: players.map {
        [$0.name, ($0.intervals?.timekeeper).text(1, scale: 1e-3), ($0.intervals?.movement).text(1, scale: 1e-3)]
      })
    return text
      + "\nNoise of the intervals of a player who corrects nothing (Wing and Kristofferson 1973); 95 % interval\n\(noise)"
  }

  /// The tables of all pairs of players. A common line is a line at which an interval of each player ends.
  private var pairsText: String {
    let lags = -PlayersAnalysis.greatestLag...PlayersAnalysis.greatestLag
    let unmatched = window == nil ? [] : ["unmatched"]
    let table = TextTable(
      columns: ["", ""] + Distribution.columns + unmatched, wordColumns: 2,
      rows: pairs.map { [$0.first, $0.second] + $0.asynchrony.row + ($0.unmatched.map { ["\($0)"] } ?? []) })
    let correlations = TextTable(
      columns: ["", ""] + lags.map { "\($0)" }, wordColumns: 2,
      rows: pairs.map { [$0.first, $0.second] + $0.crossCorrelation.map { $0.fixed(3) } })
    let common = ticksPerLine == nil ? "events in which both play" : "grid lines on which both played"
    return "\nAsynchrony of the first minus that of the second player, us\n\(table)"
      + (window.map { "unmatched: actions of both without a nearest counterpart within \(Double($0.count) / 1e6) ms\n" }
        ?? "")
      + "\n"
      + circularText(
        "Phase of the first player relative to the second", pairs.map { ([$0.first, $0.second], $0.phases) },
        wordColumns: 2)
      + "Cross-correlation of the intervals of two players, by lag; the lag counts the \(common); "
      + "positive: the second player follows the first\n\(correlations)"
  }

  /// A table of circular statistics, with an empty line at the end; empty if no row has figures.
  private func circularText(
    _ title: String, _ rows: [(names: [String], figures: CircularFigures?)], wordColumns: Int
  ) -> String {
    guard rows.contains(where: { $0.figures != nil }) else { return "" }
    let table = TextTable(
      columns: [String](repeating: "", count: wordColumns) + CircularFigures.columns, wordColumns: wordColumns,
      rows: rows.map { $0.names + ($0.figures?.row ?? ["0"] + [String](repeating: "-", count: 3)) })
    return "\(title); 360 degrees is the distance of two lines; 95 % interval\n\(table)\n"
  }

  /// The tables of the corrections.
  private var gainsText: String {
    let table = TextTable(
      columns: ["player", "corrects to", "gain", "error", "95 % interval"], wordColumns: 2,
      rows: gains.map {
        [
          $0.player, $0.to ?? "the grid", $0.gain.fixed(3), $0.standardError.short,
          "\($0.low.fixed(3))...\($0.high.fixed(3))",
        ]
      })
    let noise = TextTable(
      columns: ["player", "timekeeper sd, us", "motor sd, us"],
      rows: corrections.filter { !$0.gains.isEmpty }.map {
        [$0.player, $0.timekeeper.text(1, scale: 1e-3), $0.movement.text(1, scale: 1e-3)]
      })
    var text = "\nCorrection gain: the share of an asynchrony that the next action corrects (bGLS)\n\(table)"
    text +=
      "\nNoise of players with these gains; 95 % interval; the motor noise is at most the timekeeper noise\n\(noise)"
    let periods = corrections.flatMap(\.periods)
    guard !periods.isEmpty else { return text }
    let period = TextTable(
      columns: ["player", "corrects to", "phase", "period"], wordColumns: 2,
      rows: periods.map { [$0.player, $0.to ?? "the grid", $0.phase.text(3), $0.period.text(4)] })
    return text
      + "\nPhase and period correction: the shares of an asynchrony by which the next interval and the period change; "
      + "95 % interval\n\(period)"
  }
}

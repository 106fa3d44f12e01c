extension PlayersReport: CustomStringConvertible {
  /// The report as text tables, with notes and the provenance at the end, as `tutti measure players` prints it.
  public var description: String {
    var asynchronies = TextTable(columns: ["", "actions", "outside", "double"] + Distribution.columns + ["lag 1"])
    var intervals = TextTable(columns: ["", "lines", "count", "mean", "sd", "variation %", "lag 1"])
    for player in players {
      asynchronies.append(
        [player.name, "\(player.actions)", "\(player.outside)", "\(player.double)"] + player.asynchrony.row
          + [player.asynchronyAutocorrelation.fixed(3)])
      let length = player.intervals?.length
      intervals.append([
        player.name, player.intervals.map { "\($0.lines)" } ?? "-", "\(length?.count ?? 0)",
        (length?.mean).microseconds, (length?.standardDeviation ?? nil).microseconds,
        (player.intervals?.variation ?? nil).fixed(3, scale: 100),
        (player.intervals?.autocorrelation ?? nil).fixed(3),
      ])
    }
    var text = "Asynchrony to the grid of \(ticksPerLine) ticks, us; positive: late\n\(asynchronies)"
    text += "outside: actions while no rhythm played\n"
    text += "double: actions that are not measured, because another action is nearer to the same line\n"
    text += "lag 1: correlation of each asynchrony with the next one\n\n"
    text += "Intervals between consecutive actions, us; only intervals of the most frequent number of grid lines\n"
    text += "\(intervals)lag 1: correlation of each interval with the next one\n"
    if !pairs.isEmpty { text += pairsText }
    if !gains.isEmpty {
      var table = TextTable(columns: ["player", "corrects to", "gain", "error"], wordColumns: 2)
      for gain in gains {
        table.append([
          gain.player, gain.to ?? "the grid", (gain.gain as Double?).fixed(3), (gain.standardError as Double?).short,
        ])
      }
      text += "\nCorrection gain: the share of an asynchrony that the next action corrects\n\(table)"
    }
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }

  /// The tables of all pairs of players. A common line is a line at which an interval of each player ends.
  private var pairsText: String {
    var table = TextTable(columns: ["", ""] + Distribution.columns, wordColumns: 2)
    let lags = -PlayersAnalysis.greatestLag...PlayersAnalysis.greatestLag
    var correlations = TextTable(columns: ["", ""] + lags.map { "\($0)" }, wordColumns: 2)
    for pair in pairs {
      table.append([pair.first, pair.second] + pair.asynchrony.row)
      correlations.append([pair.first, pair.second] + pair.crossCorrelation.map { $0.fixed(3) })
    }
    return "\nAsynchrony of the first minus that of the second player, us\n\(table)"
      + "\nCross-correlation of the intervals of two players, by lag; the lag counts the grid lines on which both "
      + "played; positive: the second player follows the first\n\(correlations)"
  }
}

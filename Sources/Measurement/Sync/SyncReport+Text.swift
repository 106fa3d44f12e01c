extension SyncReport: CustomStringConvertible {
  /// The report as text tables: the offset of each peer from the reference, in total, over time and as median of the runs; the
  /// lateness of the ticks of each peer; the counts that each peer wrote at its end; the provenance.
  public var description: String {
    var text = "Offset from \(referenceText), us\n\(offsets)"
    for comparison in comparisons {
      guard let error = comparison.driftError else { continue }
      text += "Standard error of the drift of \(comparison.name): \(error.short) ppm\n"
    }
    text += "\n"
    if comparisons.contains(where: { !$0.overTime.isEmpty }) {
      text += "Offset over time, us; seconds since the first tick of the reference\n\(overTime)\n"
    }
    text += runsText
    let lateness = TextTable(
      columns: [""] + Distribution.columns, rows: peers.map { [$0.header.name] + $0.lateness.row })
    text += "Lateness (instant at which the clock thread processed the tick, minus due instant), us\n\(lateness)\n"
    text += "Counts of each peer over its whole trace\n\(counts)"
    for peer in peers where peer.summary == nil {
      let defect = peer.isCutOff ? "incomplete" : "missing"
      text += "\(peer.header.name): no counts, because the end of its trace is \(defect)\n"
    }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }

  /// The name of the reference.
  private var referenceText: String {
    guard reference == .first else { return "the median timeline of all traces" }
    return peers.first.map { "\($0.header.name) (\($0.header.role), \($0.ticks) ticks)" } ?? "no trace"
  }

  private var offsets: TextTable {
    TextTable(
      columns: [
        "", "ticks", "missing", "skipped", "extra", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd", "drift ppm",
      ],
      rows: comparisons.map { comparison in
        let (magnitude, offset) = (comparison.magnitude, comparison.offset)
        let ticks = [comparison.common, comparison.missing, comparison.skipped, comparison.extra]
        let figures = [
          magnitude?.p50, magnitude?.p95, magnitude?.p99, magnitude?.maximum, offset?.mean, offset?.standardDeviation,
        ]
        return [comparison.name] + ticks.map(String.init) + figures.map(\.microseconds) + [comparison.drift.fixed(3)]
      })
  }

  private var overTime: TextTable {
    let intervals = comparisons.flatMap { comparison in comparison.overTime.map { (comparison.name, $0) } }
    return TextTable(
      columns: ["", "from s", "to s", "ticks", "|p50|", "|p95|", "|p99|", "|max|", "mean"],
      rows: intervals.map { name, interval in
        let magnitude = interval.magnitude
        let figures = [magnitude.p50, magnitude.p95, magnitude.p99, magnitude.maximum, interval.mean * 1e3]
        return [name, interval.start.fixed(3), interval.end.fixed(3), "\(magnitude.count)"]
          + figures.map(\.microseconds)
      })
  }

  /// The table with the medians of the runs, or a line with the reason why there is none.
  private var runsText: String {
    guard comparisons.contains(where: { $0.perRun != nil }) else {
      return "Median of runs: none, because no run has at least \(SyncRuns.fewestTicks) ticks that a peer and the "
        + "reference have in common\n\n"
    }
    let table = TextTable(
      columns: ["", "runs", "|p50|", "|p95|", "|p99|", "|max|"],
      rows: comparisons.map { comparison in
        guard let runs = comparison.perRun else { return [comparison.name, "0", "-", "-", "-", "-"] }
        return [comparison.name, "\(runs.p50.runs)"] + [runs.p50, runs.p95, runs.p99, runs.maximum].map(\.text)
      })
    var text = "Median of runs: offset, us [95 % interval]\n\(table)"
    for comparison in comparisons {
      guard let runs = comparison.perRun?.p50.runs, runs < RunStatistic.fewestRuns else { continue }
      text +=
        "\(comparison.name): no interval, because it needs \(RunStatistic.fewestRuns) runs of the rhythm, and there "
        + (runs == 1 ? "is 1\n" : "are \(runs)\n")
    }
    return text + "\n"
  }

  private var counts: TextTable {
    TextTable(
      columns: ["", "runs", "expected", "received", "lost", "hits", "late", "dropped", "underruns"],
      rows: peers.map { peer in
        // Without a summary, the seven columns after the number of runs show dashes.
        let numbers = peer.summary.map { summary in
          [
            summary.ticksExpected, summary.ticksReceived, summary.ticksLost, summary.hits, summary.lateHits,
            summary.droppedHits, summary.underruns,
          ].map(String.init)
        }
        return [peer.header.name, "\(peer.runs)"] + (numbers ?? [String](repeating: "-", count: 7))
      })
  }
}

extension SyncReport: CustomStringConvertible {
  /// The report as text tables: offsets, lateness, and the counts of the peers.
  public var description: String {
    var offsets = TextTable(columns: [
      "", "ticks", "missing", "skipped", "extra", "|p50|", "|p99|", "|max|", "mean", "drift ppm",
    ])
    for comparison in comparisons {
      let sizes = comparison.magnitude.row
      offsets.append(
        [comparison.name]
          + [comparison.common, comparison.missing, comparison.skipped, comparison.extra].map(String.init)
          + [sizes[2], sizes[3], sizes[5], comparison.offset.row[6], comparison.drift.twoDecimals])
    }
    var lateness = TextTable(columns: [""] + Figures.columns)
    for peer in peers { lateness.append([peer.header.name] + peer.lateness.row) }
    var counts = TextTable(columns: [
      "", "runs", "expected", "received", "lost", "hits", "late", "dropped", "underruns",
    ])
    for peer in peers {
      guard let summary = peer.summary else {
        counts.append([peer.header.name, "\(peer.runs)"] + [String](repeating: "-", count: 7))
        continue
      }
      let numbers = [
        summary.ticksExpected, summary.ticksReceived, summary.ticksLost, summary.hits, summary.lateHits,
        summary.droppedHits, summary.underruns,
      ]
      counts.append([peer.header.name, "\(peer.runs)"] + numbers.map(String.init))
    }
    let reference = peers.first.map { "\($0.header.name) (\($0.header.role), \($0.ticks) ticks)" } ?? "no trace"
    var text = "Offset from \(reference), us\n\(offsets)\n"
    text += "Lateness, acted minus due, us\n\(lateness)\nCounted by the peers\n\(counts)"
    for peer in peers where peer.summary == nil {
      text += "\(peer.header.name): no summary, the peer was killed\(peer.isCutOff ? "; last line incomplete" : "")\n"
    }
    return text
  }
}

extension SyncReport: CustomStringConvertible {
  /// The report as three text tables: the offset of each peer from the reference, the lateness of the ticks of each peer,
  /// and the counts that each peer wrote at its end.
  public var description: String {
    var offsets = TextTable(columns: [
      "", "ticks", "missing", "skipped", "extra", "|p50|", "|p99|", "|max|", "mean", "drift ppm",
    ])
    for comparison in comparisons {
      let magnitude = comparison.magnitude
      let ticks = [comparison.common, comparison.missing, comparison.skipped, comparison.extra]
      let figures = [
        magnitude.text(.p50), magnitude.text(.p99), magnitude.text(.maximum), comparison.offset.text(.mean),
        comparison.drift.twoDecimals,
      ]
      offsets.append([comparison.name] + ticks.map(String.init) + figures)
    }
    var lateness = TextTable(columns: [""] + Figures.columns)
    for peer in peers { lateness.append([peer.header.name] + peer.lateness.row) }
    var counts = TextTable(columns: [
      "", "runs", "expected", "received", "lost", "hits", "late", "dropped", "underruns",
    ])
    for peer in peers {
      guard let summary = peer.summary else {
        // Without a summary, the seven columns after the number of runs show dashes.
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
    text +=
      "Lateness (time sent or played, minus time due), us\n\(lateness)\nCounts of each peer over its whole run\n\(counts)"
    for peer in peers where peer.summary == nil {
      let defect = peer.isCutOff ? "incomplete" : "missing"
      text += "\(peer.header.name): no counts, because the end of its trace is \(defect)\n"
    }
    return text
  }
}

import MusicalTime

extension AudioReport: CustomStringConvertible {
  /// The report as text tables: the differences of each recording from the reference, notes, and the provenance.
  public var description: String {
    var table = TextTable(columns: [
      "", "hits", "matched", "correlated", "missing", "extra", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd",
      "sign changes",
    ])
    var correlated = TextTable(columns: ["", "hits", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd"])
    var lines = TextTable(columns: ["", "delay s", "drift ppm", "error ppm", "residual sd", "p50", "p99", "max"])
    for (track, comparison) in zip(tracks.dropFirst(), comparisons) {
      let (magnitude, difference) = (comparison.magnitude, comparison.difference)
      let counts = [
        track.onsets, comparison.matched, comparison.correlated, comparison.missing, comparison.extra,
      ]
      let figures = [
        magnitude?.p50, magnitude?.p95, magnitude?.p99, magnitude?.maximum, difference?.mean,
        difference?.standardDeviation,
      ]
      table.append(
        [comparison.name] + counts.map(String.init) + figures.map(\.microseconds)
          + [comparison.signChanges.map(String.init) ?? "-"])
      let (exact, signed) = (comparison.correlatedMagnitude, comparison.correlatedDifference)
      correlated.append(
        [comparison.name, "\(comparison.correlated)"]
          + [exact?.p50, exact?.p95, exact?.p99, exact?.maximum, signed?.mean, signed?.standardDeviation].map(
            \.microseconds))
      let residual = comparison.residual
      lines.append(
        [
          comparison.name, comparison.delay.fixed(6), comparison.drift.fixed(3), comparison.driftError.short,
        ] + [residual?.standardDeviation, residual?.p50, residual?.p99, residual?.maximum].map(\.microseconds))
    }
    let reference = tracks.first.map { "\($0.name) (\($0.onsets) hits)" } ?? "no recording"
    let frame = (rate > 0 ? 1e9 / Double(rate) : nil as Double?).microseconds
    var text = "Difference from \(reference), us; one frame is \(frame)\n\(table)\n"
    text += "Only the hits that sound alike, measured by correlation to a fraction of a frame, us\n\(correlated)\n"
    text += "Linear fit to the differences, and the residual, us\n\(lines)"
    let notes = comparisons.flatMap { comparison in comparison.notes.map { "\(comparison.name): \($0)\n" } }
    if !notes.isEmpty { text += "\nNotes\n" + notes.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }
}

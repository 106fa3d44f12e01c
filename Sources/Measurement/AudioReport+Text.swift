import MusicalTime

extension AudioReport: CustomStringConvertible {
  /// The report as a text table: the differences of each recording from the reference.
  public var description: String {
    var table = TextTable(columns: [
      "", "hits", "matched", "correlated", "missing", "extra", "|p50|", "|p99|", "|max|", "mean", "drift ppm",
    ])
    for (track, comparison) in zip(tracks.dropFirst(), comparisons) {
      let magnitude = comparison.magnitude
      let counts = [
        track.onsets, comparison.matched, comparison.correlated, comparison.missing, comparison.extra,
      ]
      let figures = [
        magnitude.text(.p50), magnitude.text(.p99), magnitude.text(.maximum), comparison.difference.text(.mean),
        comparison.drift.twoDecimals,
      ]
      table.append([comparison.name] + counts.map(String.init) + figures)
    }
    let reference = tracks.first.map { "\($0.name) (\($0.onsets) hits)" } ?? "no recording"
    let frame = rate > 0 ? Nanoseconds(Int64(1_000_000_000 / rate)).microsecondsText : "-"
    return "Difference from \(reference), us; one frame is \(frame)\n\(table)"
  }
}

import MusicalTime

extension AudioReport: CustomStringConvertible {
  /// The report as a text table.
  public var description: String {
    var table = TextTable(columns: [
      "", "hits", "matched", "correlated", "missing", "extra", "|p50|", "|p99|", "|max|", "mean", "drift ppm",
    ])
    for (track, comparison) in zip(tracks.dropFirst(), comparisons) {
      let sizes = comparison.magnitude.row
      let counts = [
        track.onsets, comparison.matched, comparison.correlated, comparison.missing, comparison.extra,
      ]
      table.append(
        [comparison.name] + counts.map(String.init)
          + [sizes[2], sizes[3], sizes[5], comparison.difference.row[6], comparison.drift.twoDecimals])
    }
    let reference = tracks.first.map { "\($0.name) (\($0.onsets) hits)" } ?? "no recording"
    let frame = rate > 0 ? Nanoseconds(Int64(1_000_000_000 / rate)).microsecondsText : "-"
    return "Difference from \(reference), us; one frame is \(frame)\n\(table)"
  }
}

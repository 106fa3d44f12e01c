extension PathReport: CustomStringConvertible {
  /// The report as text, as `tutti measure path` prints it. For each peer, it contains a table for each path, the paths without figures,
  /// and the notes.
  public var description: String {
    peers.map(\.text).joined(separator: "\n") + "\n"
      + "Times in us. share: covariance of the stage and the total / variance of the total; +-: its standard error.\n\n"
      + provenance.lines.joined(separator: "\n") + "\n"
  }
}

extension PathReport.Peer {
  fileprivate var text: String {
    var text = "\(header.name) (\(file)): \(ticks) ticks, \(hits) steps with sound\n"
    for path in paths { text += "\n\(path.kind.rawValue)\n\(path.table)" }
    if let offsetUncertainty {
      text += "\nclock offset: uncertainty p50 \(Double?(offsetUncertainty.p50).microseconds) us, "
      text += "max \(Double?(offsetUncertainty.maximum).microseconds) us; "
      text += "an error of the offset lengthens `sent -> received` and shortens the stage after it, or the reverse\n"
    }
    if !missing.isEmpty || !notes.isEmpty { text += "\n" }
    for missing in missing { text += "no figures for \(missing.path.rawValue): \(missing.reason)\n" }
    for note in notes { text += "note: \(note)\n" }
    return text
  }
}

extension PathReport.Path {
  /// The figures as a table.
  fileprivate var table: TextTable {
    var table = TextTable(
      columns: ["stage", "count", "min", "p50", "p95", "p99.9", "max", "mean", "sd", "share %", "+-"])
    for stage in stages {
      table.append(Self.row(stage.name, stage.duration, share: stage.share, error: stage.shareError))
    }
    // The shares sum to 1. If the total does not vary, there are no shares.
    table.append(Self.row("total", total, share: stages.first?.share.map { _ in 1 }, error: nil))
    return table
  }

  private static func row(_ name: String, _ figures: Distribution, share: Double?, error: Double?) -> [String] {
    let durations: [Double?] = [
      figures.minimum, figures.p50, figures.p95, figures.p999, figures.maximum, figures.mean, figures.standardDeviation,
    ]
    return [name, "\(figures.count)"] + durations.map(\.microseconds)
      + [share.fixed(1, scale: 100), error.fixed(1, scale: 100)]
  }
}

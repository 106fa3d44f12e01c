/// The figures of recordings over several runs of the rhythm, with one pair of recordings for each run. Each figure is the median over the
/// runs, with its 95 % interval (``RunStatistic``).
///
/// The hits of one run are not independent of each other: a constant delay is common to all of them. The interval therefore treats each run
/// as one value.
///
/// Real-time: not safe.
public struct AudioRuns: Hashable, Sendable, Codable {
  /// The median over the runs of the mean of the differences.
  public let mean: RunStatistic
  /// The median over the runs of the standard deviation of the differences; nil if each run has a single hit.
  public let standardDeviation: RunStatistic?
  /// The median over the runs of the 50 %, 95 % and 99 % percentiles and of the maximum of the absolute differences.
  public let p50, p95, p99, maximum: RunStatistic

  /// Creates the figures; nil if no run has differences.
  init?(_ comparisons: [AudioReport.Comparison]) {
    let differences = comparisons.compactMap(\.difference)
    let magnitudes = comparisons.compactMap(\.magnitude)
    guard let mean = RunStatistic(differences.map(\.mean)), let p50 = RunStatistic(magnitudes.map(\.p50)),
      let p95 = RunStatistic(magnitudes.map(\.p95)), let p99 = RunStatistic(magnitudes.map(\.p99)),
      let maximum = RunStatistic(magnitudes.map(\.maximum))
    else { return nil }
    (self.mean, self.p50, self.p95, self.p99, self.maximum) = (mean, p50, p95, p99, maximum)
    standardDeviation = RunStatistic(differences.compactMap(\.standardDeviation))
  }

  private enum CodingKeys: String, CodingKey {
    case mean, p50, p95, p99
    case standardDeviation = "sd"
    case maximum = "max"
  }

  /// The table with the medians as text.
  var text: String {
    let columns = ["runs", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd"]
    let figures = [p50, p95, p99, maximum, mean, standardDeviation].map { $0?.text ?? "-" }
    let table = TextTable(columns: columns, wordColumns: 0, rows: [["\(mean.runs)"] + figures])
    let note =
      mean.interval == nil ? "no interval, because it needs \(RunStatistic.fewestRuns) runs with matched hits\n" : ""
    return "Median of runs: difference, us [95 % interval]\n\(table)\(note)"
  }
}

extension AudioAnalysis {
  /// Combines the comparisons of several runs of the rhythm. Each run has two recordings, the reference and another one.
  ///
  /// - Parameter runs: at least one analysis of two recordings.
  /// - Throws: ``ReportError`` if there is no run, or if a run has another number of recordings.
  ///
  /// Real-time: not safe.
  public init(runs: [AudioAnalysis]) throws(ReportError) {
    guard let first = runs.first, runs.allSatisfy({ $0.report.tracks.count == 2 }) else {
      throw ReportError(
        subject: "--runs", reason: "a run does not have two recordings",
        remedy: "give two recordings for each run, the reference first")
    }
    let comparisons = runs.flatMap { run in
      run.report.comparisons.map { comparison in
        var comparison = comparison
        comparison.reference = run.report.tracks[0].name
        return comparison
      }
    }
    self.init(
      report: AudioReport(
        rate: first.report.rate, tracks: runs.flatMap(\.report.tracks), comparisons: comparisons,
        runs: AudioRuns(comparisons)),
      hits: runs.flatMap(\.hits))
  }
}

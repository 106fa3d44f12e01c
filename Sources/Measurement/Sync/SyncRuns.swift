/// The figures of one peer over all its runs. A run is one playback of the rhythm, from a start to a stop. For each run, the
/// percentiles of the absolute offsets are calculated. A figure is the median of one percentile over the runs, with its 95 %
/// bootstrap interval.
public struct SyncRuns: Hashable, Sendable, Codable {
  /// The distribution of the absolute offsets of each run, in order.
  public let magnitudes: [Distribution]
  /// The median over the runs of the 50 %, 95 % and 99 % percentiles and of the maximum.
  public let p50, p95, p99, maximum: RunStatistic

  /// The smallest number of common ticks of a run, a quarter note. ``SyncOffsets/perRun`` omits a run with fewer common ticks.
  static let fewestTicks = 24

  /// Creates the figures; nil if there are no runs.
  init?(_ magnitudes: [Distribution]) {
    guard let p50 = RunStatistic(magnitudes.map(\.p50)), let p95 = RunStatistic(magnitudes.map(\.p95)),
      let p99 = RunStatistic(magnitudes.map(\.p99)), let maximum = RunStatistic(magnitudes.map(\.maximum))
    else { return nil }
    self.magnitudes = magnitudes
    (self.p50, self.p95, self.p99, self.maximum) = (p50, p95, p99, maximum)
  }

  private enum CodingKeys: String, CodingKey {
    case magnitudes, p50, p95, p99
    case maximum = "max"
  }
}

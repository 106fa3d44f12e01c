import MusicalTime

/// Compares the due instants of a trace with those of the reference.
struct SyncComparison {
  /// The figures.
  let figures: SyncReport.Comparison
  /// The data of the plot.
  let series: SyncSeries

  /// Compares the ticks, run by run (``RunMatching``).
  ///
  /// - Parameters:
  ///   - name: the name of the peer.
  ///   - reference: the timeline of the reference.
  ///   - span: the due instants of the first and of the last tick of the reference, nanoseconds.
  ///   - other: the due instants of the trace that is compared.
  ///   - clockOffset: the clock of this trace minus the clock of the reference.
  ///   - onRow: receives each common tick.
  init(
    name: String, reference: DueTicks, span: ClosedRange<Int64>, other: DueTicks, clockOffset: Nanoseconds,
    onRow: ((SyncRow) -> Void)?
  ) {
    let pairs = RunMatching(reference, other, clockOffset: clockOffset).pairs
    var collection = SyncOffsets(
      span: span, referenceTicks: reference.count, capacity: min(reference.count, other.count))
    for (i, j) in pairs {
      let run = reference.runs[i]
      collection.beginRun()
      reference.forEachCommonTick(run, with: other.runs[j], of: other) { a, b in
        let due = reference.due[a]
        let offset = other.due[b] &- clockOffset.count &- due
        collection.add(offset, index: a, due: due)
        onRow?(SyncRow(peer: name, run: i, tick: reference.tick(a, in: run), due: due, offset: offset))
      }
    }
    let (overTime, perRun) = (collection.overTime, collection.perRun)
    // Fills the histogram of the plot.
    collection.series.count(collection.offsets)
    series = collection.series
    let (skipped, drift) = (collection.skipped, collection.fit.partsPerMillion)
    let driftError = collection.fit.error?.standardError
    // Millions of offsets are sorted in place, first with their signs, then without.
    var offsets = collection.takeOffsets()
    let common = offsets.count
    let signed = Distribution(sorting: &offsets)
    for index in offsets.indices { offsets[index] = abs(offsets[index]) }
    let magnitude = Distribution(sorting: &offsets)
    // The figures of a single run are those of all offsets (``SyncOffsets/perRun``).
    let isSingleRun = pairs.count == 1 && common >= SyncRuns.fewestTicks
    figures = SyncReport.Comparison(
      name: name, runs: pairs.count, common: common, missing: reference.count - common, skipped: skipped,
      extra: other.count - common, offset: signed,
      magnitude: magnitude, drift: drift, driftError: driftError, overTime: overTime,
      perRun: isSingleRun ? magnitude.flatMap { SyncRuns([$0]) } : perRun)
  }
}

/// A tick that a peer and the reference have in common: one row of the CSV output.
///
/// Real-time: not safe.
public struct SyncRow: Hashable, Sendable {
  /// The name of the peer.
  public let peer: String
  /// The number of the run in the reference, from 0.
  public let run: Int
  /// The number of the tick.
  public let tick: Int64
  /// The due instant of the tick on the reference timeline, in nanoseconds.
  public let due: Int64
  /// The due instant of the tick at the peer minus ``due``, in nanoseconds.
  public let offset: Int64

  /// The titles of the columns.
  public static let titles = "peer,run,tick,reference_due_ns,offset_ns"

  /// The row as text. A name with a comma, a quote or a line end is quoted (RFC 4180).
  public var text: String { "\(peer.quotedForCSV),\(run),\(tick),\(due),\(offset)" }
}

import MusicalTime

/// The due instants of a trace, run by run, in 12 octets per tick.
///
/// A ``TraceTick`` takes more than ten times as much memory, which matters for long traces: a day at 120 BPM has 4.1 million ticks.
struct DueTicks: Sendable {
  /// One run of the rhythm, from a start to a stop (``Trace/runs``).
  struct Run: Sendable {
    /// The number of the first tick.
    let firstTick: Int64
    /// The indices of the ticks in ``DueTicks/due``.
    var range: Range<Int>
  }

  /// The runs, in order.
  private(set) var runs: [Run] = []
  /// The due instants of all ticks, nanoseconds.
  private(set) var due: [Int64] = []
  /// For each tick, its number minus that of the first tick of its run.
  private var numbers: [Int32] = []
  /// The tick that ``append(_:)`` appended last.
  private var previous: TraceTick?

  /// Creates an empty instance.
  init() {}

  /// Reduces the ticks of a trace.
  init(_ ticks: [TraceTick]) {
    for tick in ticks { append(tick) }
  }

  /// The number of ticks.
  var count: Int { due.count }

  /// Checks the number of runs.
  ///
  /// - Parameter name: the name of the trace.
  /// - Throws: ``ReportError`` if there are more runs than ``RunMatching/limit``.
  func checkRuns(of name: String) throws(ReportError) {
    guard runs.count > RunMatching.limit else { return }
    throw ReportError(
      subject: name, reason: "\(runs.count) runs of the rhythm, more than \(RunMatching.limit)",
      remedy: "record traces with fewer starts of the rhythm")
  }

  /// Returns the number of the tick at `index`, which is in `run`.
  func tick(_ index: Int, in run: Run) -> Int64 { run.firstTick + Int64(numbers[index]) }

  /// Reserves memory for `count` ticks.
  mutating func reserve(_ count: Int) {
    due.reserveCapacity(count)
    numbers.reserveCapacity(count)
  }

  /// Appends a tick. The tick begins a new run under the conditions of ``Trace/runs``. It also begins a new run if its number
  /// exceeds that of the first tick of the run by 2^31 or more, because ``numbers`` has 32 bits.
  mutating func append(_ tick: TraceTick) {
    var number = Int64.max
    if let previous, let run = runs.last, !Trace.beginsRun(tick, after: previous) {
      let (difference, overflow) = tick.tick.index.subtractingReportingOverflow(run.firstTick)
      if !overflow { number = difference }
    }
    previous = tick
    append(number: number, tick: tick.tick.index, due: tick.due.nanoseconds)
  }

  /// Appends a tick to the last run, or to a new run if `beginsRun`.
  mutating func append(tick: Int64, due: Int64, beginsRun: Bool) {
    append(number: beginsRun ? .max : tick - runs[runs.count - 1].firstTick, tick: tick, due: due)
  }

  /// Appends a tick.
  ///
  /// - Parameter number: the number of the tick minus that of the first tick of its run; more than `Int32.max` for the first
  ///   tick of a new run.
  private mutating func append(number: Int64, tick: Int64, due: Int64) {
    if number <= Int64(Int32.max) {
      numbers.append(Int32(number))
      runs[runs.count - 1].range = runs[runs.count - 1].range.lowerBound..<self.due.count + 1
    } else {
      numbers.append(0)
      runs.append(Run(firstTick: tick, range: self.due.count..<self.due.count + 1))
    }
    self.due.append(due)
  }

  /// Returns the index of the first tick of `run` at or after the tick number `tick`, by binary search; nil if there is
  /// none.
  func index(notBefore tick: Int64, in run: Run) -> Int? {
    let index = run.range.firstIndex(bySearching: { self.tick($0, in: run) >= tick })
    return index < run.range.upperBound ? index : nil
  }

  /// Calls `body` for each tick number that occurs in `run` and also in `other`, which is a run of `others`, in ascending order.
  /// The arguments of `body` are the index of the tick in this instance and its index in `others`.
  func forEachCommonTick(_ run: Run, with other: Run, of others: DueTicks, _ body: (Int, Int) -> Void) {
    var (a, b) = (run.range.lowerBound, other.range.lowerBound)
    while a < run.range.upperBound, b < other.range.upperBound {
      let (first, second) = (tick(a, in: run), others.tick(b, in: other))
      if first == second { body(a, b) }
      if first <= second { a += 1 }
      if second <= first { b += 1 }
    }
  }

  /// Creates the median timeline of several traces, by the clock of the first trace.
  ///
  /// The runs and ticks are those of the first trace. ``RunMatching`` assigns the runs of the other traces to them. The due
  /// instant of a tick is the median of its due instants in all traces that contain the tick. The median of an even number of
  /// instants is the mean of the two middle ones.
  ///
  /// - Parameters:
  ///   - traces: the due instants of each trace, at least one.
  ///   - clockOffsets: the clock of each trace minus a common clock.
  init(medianOf traces: [DueTicks], clockOffsets: [Nanoseconds]) {
    self.init()
    reserve(traces[0].count)
    let offsets = clockOffsets.map { $0 - clockOffsets[0] }
    // One dictionary for each trace except the first: from the number of a run of the first trace to the number of the assigned run.
    let partners = traces.indices.dropFirst().map { index in
      Dictionary(
        uniqueKeysWithValues: RunMatching(traces[0], traces[index], clockOffset: offsets[index]).pairs)
    }
    for (number, run) in traces[0].runs.enumerated() {
      // For each other trace: the run that is assigned to `run`, and the index of the next tick of the assigned run; nil if no run is
      // assigned.
      var positions = partners.enumerated().map { index, partner in
        partner[number].map {
          (trace: index + 1, run: traces[index + 1].runs[$0], next: traces[index + 1].runs[$0].range.lowerBound)
        }
      }
      var instants: [Int64] = []
      for index in run.range {
        let tick = traces[0].tick(index, in: run)
        instants.removeAll(keepingCapacity: true)
        instants.append(traces[0].due[index])
        for position in positions.indices {
          guard let (trace, other, first) = positions[position] else { continue }
          var next = first
          while next < other.range.upperBound, traces[trace].tick(next, in: other) < tick { next += 1 }
          positions[position] = (trace, other, next)
          if next < other.range.upperBound, traces[trace].tick(next, in: other) == tick {
            instants.append(traces[trace].due[next] &- offsets[trace].count)
          }
        }
        append(tick: tick, due: Self.median(&instants), beginsRun: index == run.range.lowerBound)
      }
    }
  }

  private static func median(_ values: inout [Int64]) -> Int64 {
    values.sort()
    let (low, high) = (values[(values.count - 1) / 2], values[values.count / 2])
    return low + (high &- low) / 2
  }
}

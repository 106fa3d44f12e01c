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

  /// The number of ticks.
  var count: Int { due.count }

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
    var (low, high) = (run.range.lowerBound, run.range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if self.tick(middle, in: run) < tick { low = middle + 1 } else { high = middle }
    }
    return low < run.range.upperBound ? low : nil
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
}

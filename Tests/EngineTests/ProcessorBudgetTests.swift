import MusicalTime
import Testing
import _TestSupport

@testable import Engine

/// Tests of ``ProcessorBudget``, which limits the processor time of a real-time thread. The budget is a token bucket with a capacity
/// of 2 ms. It is refilled with a quarter of a core.
@Suite struct ProcessorBudgetTests {
  private let start = Instant(nanoseconds: 7_000_000_000)

  @Test func threadBelowAQuarterOfACoreNeverPauses() {
    var budget = ProcessorBudget()
    // The thread works 25 us of every 100 us.
    for round in 0..<100_000 {
      let end = budget.pauseEnd(used: .microseconds(25 * Int64(round)), at: start + .microseconds(100 * Int64(round)))
      #expect(end == nil)
    }
  }

  @Test func burstUpToTheCapacityCausesNoPause() {
    var budget = ProcessorBudget()
    // The time before the first report does not count.
    #expect(budget.pauseEnd(used: .seconds(5), at: start) == nil)
    #expect(budget.pauseEnd(used: .seconds(5) + .microseconds(1999), at: start) == nil)
    // The bucket is empty. The pause ends when the bucket holds the reserve of 0.5 ms, after 2 ms.
    #expect(budget.pauseEnd(used: .seconds(5) + .microseconds(2000), at: start) == start + .milliseconds(2))
  }

  @Test func excessLengthensThePause() {
    var budget = ProcessorBudget()
    #expect(budget.pauseEnd(used: .zero, at: start) == nil)
    // 3 ms are 1 ms more than the capacity. The bucket holds the reserve of 0.5 ms when 1.5 ms are refilled, after 6 ms.
    #expect(budget.pauseEnd(used: .milliseconds(3), at: start) == start + .milliseconds(6))
  }

  /// A thread that works whenever the budget permits uses a quarter of a core in any interval, plus the burst of 2 ms and one round of
  /// work.
  @Test(arguments: UInt64(1)...4) func noIntervalContainsMoreThanItsShareAndTheBurst(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var budget = ProcessorBudget()
    var (now, used) = (start, Nanoseconds.zero)
    var excess = Int64.min
    // The minimum of `4 * used - elapsed` so far. The interval that begins at this minimum has the largest excess of all intervals
    // that end now.
    var least = Int64.max
    for _ in 0..<20_000 {
      least = min(least, 4 * used.count - (now - start).count)
      let work = Nanoseconds(random.integer(in: 1_000...500_000))
      (now, used) = (now + work, Nanoseconds(used.count + work.count))
      excess = max(excess, 4 * used.count - (now - start).count - least)
      if let end = budget.pauseEnd(used: used, at: now) {
        #expect(end > now)
        now = end
      }
    }
    // The first report, of at most 0.5 ms, is the reference and does not count.
    #expect(excess <= 4 * (2_000_000 + 2 * 500_000))
    // The thread can use its complete share.
    let share = Double(used.count) / Double((now - start).count)
    #expect(share > 0.24 && share < 0.26, "\(share)")
  }
}

import MusicalTime
import Testing
import _TestSupport

@testable import Engine

/// Tests of ``ProcessorBudget``, which limits the processor time of a real-time thread. The budget is a token bucket of processor time.
/// It holds at most 2 ms, and is refilled with 0.25 ms per millisecond, a quarter of a core. If the bucket is empty, the thread pauses
/// until the bucket holds a reserve of 0.5 ms.
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
    // The processor time before the first report does not count.
    #expect(budget.pauseEnd(used: .seconds(5), at: start) == nil)
    #expect(budget.pauseEnd(used: .seconds(5) + .microseconds(1999), at: start) == nil)
    // The bucket is empty. The reserve of 0.5 ms is refilled in 2 ms.
    #expect(budget.pauseEnd(used: .seconds(5) + .microseconds(2000), at: start) == start + .milliseconds(2))
  }

  @Test func excessLengthensThePause() {
    var budget = ProcessorBudget()
    #expect(budget.pauseEnd(used: .zero, at: start) == nil)
    // 3 ms are 1 ms more than the capacity. The bucket holds the reserve when 1.5 ms are refilled, after 6 ms.
    #expect(budget.pauseEnd(used: .milliseconds(3), at: start) == start + .milliseconds(6))
  }

  /// A thread that works whenever the budget permits uses a quarter of a core in any interval, plus the burst of 2 ms and one round of
  /// work.
  @Test(arguments: UInt64(1)...4) func noIntervalContainsMoreThanItsShareAndTheBurst(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var budget = ProcessorBudget()
    var (now, used) = (start, Nanoseconds.zero)
    var excess = Int64.min
    // The excess of an interval is `4 * used - elapsed`: how much the thread used above its share, times four. `least` is the minimum so
    // far of this expression, computed from `start`. Of all intervals that end now, the one that begins at this minimum has the largest
    // excess.
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
    // The burst of 2 ms, one round of at most 0.5 ms, and the first round of at most 0.5 ms. The budget does not count the first round,
    // because the first report is its reference.
    #expect(excess <= 4 * (2_000_000 + 2 * 500_000))
    // The thread can use its complete share.
    let share = Double(used.count) / Double((now - start).count)
    #expect(share > 0.24 && share < 0.26, "\(share)")
  }
}

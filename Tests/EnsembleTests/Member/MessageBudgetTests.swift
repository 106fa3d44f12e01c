import MusicalTime
import Testing
import _TestSupport

@testable import Ensemble

@Suite struct MessageBudgetTests {
  private let begin = Instant(nanoseconds: 7_000_000_000)

  @Test func aChordOrADumpPassesAtOnceUpToTheDepth() {
    var budget = MessageBudget()
    let admitted = (0..<1000).count { _ in budget.admit(at: begin) }
    #expect(admitted == 512 && budget.refused == 488)
  }

  @Test func whatComesAtTheRatePassesForEver() {
    var budget = MessageBudget()
    #expect((0..<100_000).allSatisfy { budget.admit(at: begin + .microseconds(500 * Int64($0))) })
    #expect(budget.refused == 0)
  }

  @Test func otherRatesAndDepths() {
    var budget = MessageBudget(rate: 1, depth: 3)
    let admitted = (0..<100).count { budget.admit(at: begin + .milliseconds(100 * Int64($0))) }
    // Three at once, and one in each of the nine seconds after.
    #expect(admitted == 3 + 9 && budget.refused == 100 - 12)
  }

  /// Ten thousand a second, ten seconds long: the depth, and from then on the rate.
  @Test func aFloodPassesAtTheRate() {
    var budget = MessageBudget()
    let admitted = (0..<100_000).count { budget.admit(at: begin + .microseconds(100 * Int64($0))) }
    #expect((20_511...20_512).contains(admitted) && budget.refused == 100_000 - Int64(admitted))
  }

  @Test func afterAFloodItRecoversByTheRate() {
    var budget = MessageBudget()
    for _ in 0..<10_000 { _ = budget.admit(at: begin) }
    // A tenth of a second gives back two hundred, a long time no more than the depth.
    #expect((0..<1000).count { _ in budget.admit(at: begin + .milliseconds(100)) } == 200)
    #expect((0..<1000).count { _ in budget.admit(at: begin + .seconds(1000)) } == 512)
  }

  /// Whenever they come, no span of time lets more through than the depth and its share of the rate, nor does any
  /// message wait for room that is there.
  @Test(arguments: UInt64(1)...8) func noSpanOfTimeLetsMoreThrough(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var budget = MessageBudget()
    var now = begin
    var admitted: [Instant] = []
    var wrong = 0
    var (level, last) = (512.0, begin)
    for _ in 0..<5000 {
      now = now + Nanoseconds(random.integer(in: 0...(random.next() % 8 == 0 ? 5_000_000 : 200_000)))
      // The bucket as a number that rises and falls, computed apart.
      level = min(512, level + Double((now - last).count) * 2000 / 1e9)
      last = now
      let passes = budget.admit(at: now)
      if passes { admitted.append(now) }
      if passes ? level < 0.999 : level > 1.001 { wrong += 1 }
      if passes { level -= 1 }
    }
    #expect(budget.refused + Int64(admitted.count) == 5000 && budget.refused > 0, "seed \(seed)")
    for first in stride(from: 0, to: admitted.count, by: 97) {
      for last in stride(from: first, to: admitted.count, by: 89) {
        let most = 513 + (admitted[last] - admitted[first]).count * 2000 / 1_000_000_000
        if Int64(last - first + 1) > most { wrong += 1 }
      }
    }
    #expect(wrong == 0, "seed \(seed)")
  }
}

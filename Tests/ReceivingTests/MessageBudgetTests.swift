import MusicalTime
import Testing
import _TestSupport

@testable import Receiving

/// The standard budget is a token bucket with a depth of 512 messages and a rate of 2000 messages per second.
@Suite struct MessageBudgetTests {
  private let start = Instant(nanoseconds: 7_000_000_000)

  @Test func burstIsAdmittedUpToTheDepth() {
    var budget = MessageBudget()
    let admitted = (0..<1000).count { _ in budget.admit(at: start) }
    #expect(admitted == 512 && budget.refused == 488)
  }

  @Test func messagesAtTheRateAreAlwaysAdmitted() {
    var budget = MessageBudget()
    // One message every 500 us.
    #expect((0..<100_000).allSatisfy { budget.admit(at: start + .microseconds(500 * Int64($0))) })
    #expect(budget.refused == 0)
  }

  @Test func rateAndDepthAreConfigurable() {
    var budget = MessageBudget(rate: 1, depth: 3)
    let admitted = (0..<100).count { budget.admit(at: start + .milliseconds(100 * Int64($0))) }
    // One message every 100 ms for ten seconds. Three are admitted at once, then one in each of the nine following seconds.
    #expect(admitted == 3 + 9 && budget.refused == 100 - 12)
  }

  @Test func rateAndBurstAreBounded() {
    var budget = MessageBudget(rate: 10, depth: 5)
    let admitted = (0..<100).count { _ in budget.admit(at: start) }
    #expect(admitted == 5)
    // The bucket is empty. In 999 ms, it gets 9.99 tokens.
    let later = (0..<1000).count { budget.admit(at: start + .milliseconds(Int64($0))) }
    #expect((9...10).contains(later))
  }

  /// Of 10 000 messages per second for ten seconds, the budget admits the depth and 2000 per second: 512 + 20 000. The last
  /// message comes 100 us before the end of the ten seconds, when the last token may be missing.
  @Test func floodIsLimitedToTheRate() {
    var budget = MessageBudget()
    let admitted = (0..<100_000).count { budget.admit(at: start + .microseconds(100 * Int64($0))) }
    #expect((20_511...20_512).contains(admitted) && budget.refused == 100_000 - Int64(admitted))
  }

  @Test func budgetIsRefilledAtTheRateAfterAFlood() {
    var budget = MessageBudget()
    for _ in 0..<10_000 { _ = budget.admit(at: start) }
    // A tenth of a second refills 200 tokens. A long time refills the bucket, and no more.
    #expect((0..<1000).count { _ in budget.admit(at: start + .milliseconds(100)) } == 200)
    #expect((0..<1000).count { _ in budget.admit(at: start + .seconds(1000)) } == 512)
  }

  /// Messages arrive at random times. No interval admits more messages than the depth plus its share of the rate, and no
  /// message is refused while a token is left.
  @Test(arguments: UInt64(1)...8) func noIntervalAdmitsMoreThanDepthAndRate(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var budget = MessageBudget()
    var now = start
    var admitted: [Instant] = []
    var violations = 0
    var (tokens, last) = (512.0, start)
    // One gap in eight is up to 5 ms long, the others are up to 0.2 ms long. The average rate is somewhat above 2000 messages
    // per second, so the bucket is sometimes empty.
    for _ in 0..<5000 {
      now = now + Nanoseconds(random.integer(in: 0...(random.next() % 8 == 0 ? 5_000_000 : 200_000)))
      // An independent model of the token bucket. The rounding tolerance is 0.001 tokens.
      tokens = min(512, tokens + Double((now - last).count) * 2000 / 1e9)
      last = now
      let isAdmitted = budget.admit(at: now)
      if isAdmitted { admitted.append(now) }
      // A message is admitted if and only if a token is left.
      if isAdmitted ? tokens < 0.999 : tokens > 1.001 { violations += 1 }
      if isAdmitted { tokens -= 1 }
    }
    #expect(budget.refused + Int64(admitted.count) == 5000 && budget.refused > 0, "seed \(seed)")
    // The intervals between pairs of messages. The strides 97 and 89 select a sample of the pairs. The limit is the depth, the
    // share of the rate, and 1 for rounding.
    for first in stride(from: 0, to: admitted.count, by: 97) {
      for last in stride(from: first, to: admitted.count, by: 89) {
        let limit = 513 + (admitted[last] - admitted[first]).count * 2000 / 1_000_000_000
        if Int64(last - first + 1) > limit { violations += 1 }
      }
    }
    #expect(violations == 0, "seed \(seed)")
  }
}

import MusicalTime
import Testing

@testable import Console

@Suite struct LimiterTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test func wrongTokensAreLimitedPerAddress() {
    var limiter = AttemptLimiter()
    for _ in 0..<AttemptLimiter.burst {
      #expect(limiter.admits("10.0.0.1", at: start))
      limiter.fail("10.0.0.1", at: start)
    }
    #expect(!limiter.admits("10.0.0.1", at: start))
    #expect(limiter.admits("10.0.0.2", at: start))
    #expect(!limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval - Nanoseconds(1)))
    #expect(limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval))
    limiter.fail("10.0.0.1", at: start + AttemptLimiter.interval)
    #expect(!limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval))
    #expect(limiter.admits("10.0.0.1", at: start + .seconds(60)))
  }

  @Test func theNumberOfAddressesIsBounded() {
    var limiter = AttemptLimiter()
    for _ in 0..<AttemptLimiter.burst { limiter.fail("the oldest", at: start) }
    for number in 0..<AttemptLimiter.maximumAddresses {
      limiter.fail("\(number)", at: start + Nanoseconds(1 + Int64(number)))
    }
    // The oldest address was replaced.
    #expect(limiter.admits("the oldest", at: start + .seconds(1)))
  }

  @Test func rateAndBurstAreBounded() {
    var limiter = RateLimiter(rate: 10, burst: 5, at: start)
    let admitted = (0..<100).count { _ in limiter.admit(at: start) }
    #expect(admitted == 5)
    let later = (0..<1000).count { limiter.admit(at: start + .milliseconds(Int64($0))) }
    #expect((9...10).contains(later))
  }
}

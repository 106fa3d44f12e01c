import MusicalTime
import Testing

@testable import Console

/// Tests of ``AttemptLimiter``, which limits wrong join tokens per address.
@Suite struct LimiterTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test func wrongTokensAreLimitedPerAddress() {
    var limiter = AttemptLimiter()
    var admitted = 0
    for _ in 0..<20 where limiter.admits("10.0.0.1", at: start) {
      admitted += 1
      limiter.fail("10.0.0.1", at: start)
    }
    #expect(admitted == AttemptLimiter.burst)
    let other = limiter.admits("10.0.0.2", at: start)
    #expect(other, "another address")
    let soon = limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval - Nanoseconds(1))
    #expect(!soon)
    // After each interval, one wrong token is forgiven.
    let later = limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval)
    #expect(later)
    limiter.fail("10.0.0.1", at: start + AttemptLimiter.interval)
    let again = limiter.admits("10.0.0.1", at: start + AttemptLimiter.interval)
    #expect(!again)
    let afterAMinute = limiter.admits("10.0.0.1", at: start + .seconds(60))
    #expect(afterAMinute)
  }

  @Test func theNumberOfAddressesIsBounded() {
    var limiter = AttemptLimiter()
    for _ in 0..<AttemptLimiter.burst { limiter.fail("the oldest", at: start) }
    for number in 0..<AttemptLimiter.maximumAddresses {
      limiter.fail("\(number)", at: start + Nanoseconds(1 + Int64(number)))
    }
    let isForgotten = limiter.admits("the oldest", at: start + .seconds(1))
    #expect(isForgotten, "the oldest address is replaced")
  }
}

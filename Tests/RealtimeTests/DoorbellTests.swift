import MusicalTime
import Realtime
import Testing

/// Tests of the bell that wakes a waiting thread.
@Suite struct DoorbellTests {
  @Test func waitReturnsAtOnceAfterARingAndAtTheDeadlineWithoutOne() {
    let bell = Doorbell()
    let count = bell.count
    bell.ring()
    // The bell was rung after `count` was read, so the wait returns at once, although the deadline is an hour away.
    bell.wait(until: MonotonicClock.now + .seconds(3600), since: count)
    // The bell is not rung after this call reads the count, so the wait lasts until the deadline.
    let deadline = MonotonicClock.now + .milliseconds(5)
    bell.wait(until: deadline, since: bell.count)
    #expect(MonotonicClock.now >= deadline)
  }
}

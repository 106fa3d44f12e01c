import Audio
import Dispatch
import MusicalTime
import Realtime
import Testing

/// Tests of calls with a timeout, which may block forever.
@Suite struct TimedCallTests {
  @Test func returnedValueIsDelivered() {
    #expect(TimedCall { 7 }.value(by: MonotonicClock.now + .seconds(60)) == 7)
  }

  @Test func blockedCallTimesOutAndDelaysNoOtherCall() {
    let release = DispatchSemaphore(value: 0)
    let blocked = TimedCall { release.wait() }
    #expect(blocked.value(by: MonotonicClock.now + .milliseconds(20)) == nil)
    // Another call does not wait for the blocked call.
    #expect(TimedCall { true }.value(by: MonotonicClock.now + .seconds(60)) == true)
    release.signal()
    #expect(blocked.value(by: MonotonicClock.now + .seconds(60)) != nil)
  }
}

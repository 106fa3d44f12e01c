import Audio
import Dispatch
import MusicalTime
import Realtime
import Testing

@Suite struct AnswerTests {
  @Test func whoAnswersIsHeard() {
    #expect(Answer { 7 }.value(by: MonotonicClock.now + .seconds(60)) == 7)
  }

  @Test func whoHangsIsLeftBehind() {
    let release = DispatchSemaphore(value: 0)
    let hanging = Answer { release.wait() }
    #expect(hanging.value(by: MonotonicClock.now + .milliseconds(20)) == nil)
    // Nobody else waits for its turn meanwhile.
    #expect(Answer { true }.value(by: MonotonicClock.now + .seconds(60)) == true)
    release.signal()
    #expect(hanging.value(by: MonotonicClock.now + .seconds(60)) != nil)
  }
}

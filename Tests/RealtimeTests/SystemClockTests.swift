import MusicalTime
import Testing

@testable import Realtime

@Suite struct SystemClockTests {
  @Test func aStepIsFoundOnceAndNoiseIsNone() {
    var clock = SystemClock()
    let noise: [Int64] = [0, 300, -250, 90_000, -90_000]
    for n in noise { #expect(clock.note(1_700_000_000_000_000_000 + n) == nil) }
    #expect(clock.note(1_700_003_600_000_000_000) == .seconds(3600))
    #expect(clock.note(1_700_003_600_000_000_100) == nil)
    #expect(clock.note(1_700_003_599_700_000_000) == .milliseconds(-300))
    #expect(clock.steps == 2)
    // Whatever it is set to, nothing traps.
    for wall in [Int64.min, .max, 0, .min] { _ = clock.note(wall) }
  }

  @Test func nobodySetsItHere() {
    var clock = SystemClock()
    for _ in 0..<1000 { #expect(clock.look() == nil) }
    #expect(clock.steps == 0)
  }
}

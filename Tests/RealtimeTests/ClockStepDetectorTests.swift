import MusicalTime
import Testing

@testable import Realtime

/// Tests of the detection of steps of the system clock and of suspensions.
@Suite struct ClockStepDetectorTests {
  @Test func stepIsReportedOnceAndNoiseIsIgnored() {
    // The argument of `update` is CLOCK_REALTIME minus CLOCK_BOOTTIME in nanoseconds. The difference varies by the time between the
    // readings of the two clocks. A change of less than 1 ms is no step.
    var clock = ClockStepDetector(of: .system)
    let noise: [Int64] = [0, 300, -250, 90_000, -90_000]
    for n in noise { #expect(clock.update(1_700_000_000_000_000_000 + n) == nil) }
    // CLOCK_REALTIME is set one hour ahead, and later 300 ms back.
    #expect(clock.update(1_700_003_600_000_000_000) == .seconds(3600))
    #expect(clock.update(1_700_003_600_000_000_100) == nil)
    #expect(clock.update(1_700_003_599_700_000_000) == .milliseconds(-300))
    #expect(clock.steps == 2)
    // The arithmetic does not trap at extreme values.
    for wall in [Int64.min, .max, 0, .min] { _ = clock.update(wall) }
  }

  /// `system` is CLOCK_REALTIME. `boot` is CLOCK_BOOTTIME, whose steps are suspensions of the machine.
  @Test(arguments: [ClockStepDetector.Clock.system, .boot])
  func clockOfTheTestMachineHasNoSteps(_ clock: ClockStepDetector.Clock) {
    var clock = ClockStepDetector(of: clock)
    for _ in 0..<1000 { #expect(clock.check() == nil) }
    #expect(clock.steps == 0)
  }
}

import MusicalTime
import Realtime
import Testing

/// Tests of the conversion of the kernel's time stamps to CLOCK_MONOTONIC.
@Suite struct MonotonicClockTests {
  @Test func unusableKernelStampsConvertToTheCurrentTime() {
    let now = MonotonicClock.now
    // No stamp, a stamp from 1970, and a stamp in the far future.
    for stamp in [Int64(0), 1, .max] { #expect(MonotonicClock.instant(ofRealtime: stamp) >= now) }
  }
}

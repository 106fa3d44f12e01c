import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the bucket that detects a device that accepts frames faster than it can play them. The bucket leaks 1 % faster than the
/// nominal rate.
@Suite struct LeakyBucketTests {
  /// The buffer size of the device in frames.
  private let buffer = 2_048
  private let start = Instant(nanoseconds: 5_000_000_000_000)

  @Test(arguments: UInt64(1)...5) func levelOfAPlayingDeviceNeverExceedsItsBuffer(seed: UInt64) {
    // The clock of the device is 500 ppm fast. For an hour, the buffer of the device is filled after each pause of 0 to 30 ms, and
    // sometimes after a pause of 3 s.
    var random = SplitMix(seed: seed)
    var bucket = LeakyBucket(rate: 48_000, at: start)
    var now = start
    var written: Int64 = 0
    while now - start < .seconds(3_600) {
      now = now + Nanoseconds(random.integer(in: 0...20) == 0 ? 3_000_000_000 : random.integer(in: 0...30_000_000))
      let played = Int64(Double((now - start).count) * 48_000 * 1.000_5 / 1e9)
      // Frames missed during an underrun are skipped.
      let held = max(0, written - played)
      written = played + Int64(buffer)
      bucket.add(Int64(buffer) - held, at: now)
      // One frame of tolerance, because `played` is rounded down.
      guard bucket.level <= Double(buffer + 1) else {
        Issue.record("seed \(seed): level \(bucket.level) after \((now - start).seconds) s")
        return
      }
    }
  }

  @Test func deviceThatDoesNotPlayIsDetectedWithinTenMilliseconds() {
    // In each millisecond, the device accepts 512 frames, more than ten times the rate of playback. The bucket leaks
    // 48.48 frames, 1 % more than are played. So the level exceeds two buffers, 4096 frames, after nine steps.
    var bucket = LeakyBucket(rate: 48_000, at: start)
    var steps: Int64 = 0
    while bucket.level <= Double(2 * buffer), steps < 100 {
      steps += 1
      bucket.add(512, at: start + .milliseconds(steps))
    }
    #expect(steps == 9)
    bucket.empty(at: start + .milliseconds(steps))
    #expect(bucket.level == 0)
  }

  @Test func extremeFrameCountsDoNotTrap() {
    var bucket = LeakyBucket(rate: 48_000, at: start)
    for frames in [Int64.max, .min, 0] { bucket.add(frames, at: Instant(nanoseconds: .max)) }
    #expect(bucket.level >= 0)
  }
}

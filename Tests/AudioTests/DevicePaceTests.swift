import Audio
import MusicalTime
import Seeds
import Testing

@Suite struct DevicePaceTests {
  private let buffer = 2_048
  private let start = Instant(nanoseconds: 5_000_000_000_000)

  @Test(arguments: UInt64(1)...5) func aDeviceThatPlaysIsNeverAheadByMoreThanItsBuffer(seed: UInt64) {
    // A fast crystal, for an hour, filled at odd moments and sometimes after a pause.
    var random = SplitMix(seed: seed)
    var pace = DevicePace(rate: 48_000, at: start)
    var now = start
    var written: Int64 = 0
    while now - start < .seconds(3_600) {
      now = now + Nanoseconds(random.integer(in: 0...20) == 0 ? 3_000_000_000 : random.integer(in: 0...30_000_000))
      let played = Int64(Double((now - start).count) * 48_000 * 1.000_5 / 1e9)
      // What it ran empty of is skipped.
      let held = max(0, written - played)
      written = played + Int64(buffer)
      pace.take(Int64(buffer) - held, at: now)
      // What it has played is a whole number of frames.
      guard pace.ahead <= Double(buffer + 1) else {
        Issue.record("seed \(seed): ahead by \(pace.ahead) after \((now - start).seconds) s")
        return
      }
    }
  }

  @Test func aDeviceThatSwallowsIsFoundOut() {
    // 512 frames every millisecond, ten times what can be played: beyond two buffers within 10 ms.
    var pace = DevicePace(rate: 48_000, at: start)
    var steps: Int64 = 0
    while pace.ahead <= Double(2 * buffer), steps < 100 {
      steps += 1
      pace.take(512, at: start + .milliseconds(steps))
    }
    #expect(steps == 9)
    pace.restart(at: start + .milliseconds(steps))
    #expect(pace.ahead == 0)
  }

  @Test func aNumberNoDeviceMaySayDoesNotTrap() {
    var pace = DevicePace(rate: 48_000, at: start)
    for frames in [Int64.max, .min, 0] { pace.take(frames, at: Instant(nanoseconds: .max)) }
    #expect(pace.ahead >= 0)
  }
}

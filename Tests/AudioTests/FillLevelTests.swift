import MusicalTime
import Realtime
import Testing
import _TestSupport

@testable import Audio

/// Tests of the fill level: the number of frames that are kept in the buffer of a device. It begins with two periods of 256 frames and
/// rises by a period at an underrun, unless a late thread caused the underrun (`raises` is false). The buffer has 2048 frames.
@Suite struct FillLevelTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func level() -> FillLevel {
    var level = FillLevel()
    level.adopt(initial: 512, step: 256, capacity: 2_048, at: start)
    return level
  }

  @Test func levelFallsByAStepAfterEachMinuteWithoutUnderrun() {
    var level = level()
    for second in [10, 11, 12] as [Int64] {
      let rises = level.recordUnderrun(raises: true, isStarting: false, at: start + .seconds(second))
      #expect(rises)
    }
    #expect(level.frames == 1_280)
    var falls: [Int64] = []
    for second in 13...400 as ClosedRange<Int64> where level.fall(at: start + .seconds(second)) { falls.append(second) }
    // The last underrun was at 12 s.
    #expect(falls == [72, 132, 192] && level.frames == 512)
  }

  @Test func underrunOfALateThreadDelaysTheFall() {
    var level = level()
    _ = level.recordUnderrun(raises: true, isStarting: false, at: start)
    let rises = level.recordUnderrun(raises: false, isStarting: false, at: start + .seconds(50))
    let fallsEarly = level.fall(at: start + .seconds(109))
    let falls = level.fall(at: start + .seconds(110))
    #expect(!rises && !fallsEarly && falls && level.frames == 512)
  }

  @Test func levelFoundAtTheStartIsKept() {
    var level = level()
    // An underrun shortly after the start shows the level that the device needs: 768 frames. The level never falls below 768 frames.
    _ = level.recordUnderrun(raises: true, isStarting: true, at: start + .milliseconds(20))
    let falls = level.fall(at: start + .seconds(3_600))
    #expect(!falls && level.frames == 768)
  }

  @Test func underrunAfterAFallKeepsTheLevel() {
    var level = level()
    _ = level.recordUnderrun(raises: true, isStarting: false, at: start)
    _ = level.recordUnderrun(raises: true, isStarting: false, at: start)
    let falls = level.fall(at: start + .seconds(60))
    // An underrun 59 s after the fall shows that the level is too low. From then on, the level stays at 1024 frames.
    let rises = level.recordUnderrun(raises: true, isStarting: false, at: start + .seconds(119))
    let fallsAgain = level.fall(at: start + .seconds(3_600))
    #expect(falls && rises && !fallsAgain && level.frames == 1_024 && level.floor == 1_024)
  }

  /// A late thread causes an underrun between the fall of the level and the underrun of the device.
  @Test func underrunOfALateThreadDoesNotHideThatTheLevelIsTooLow() {
    var level = level()
    _ = level.recordUnderrun(raises: true, isStarting: false, at: start)
    let falls = level.fall(at: start + .seconds(60))
    _ = level.recordUnderrun(raises: false, isStarting: false, at: start + .seconds(70))
    let rises = level.recordUnderrun(raises: true, isStarting: false, at: start + .seconds(119))
    #expect(falls && rises && level.floor == 768)
  }

  @Test func levelNeverExceedsTheBuffer() {
    var level = level()
    var rises = 0
    for _ in 0..<10 where level.recordUnderrun(raises: true, isStarting: false, at: start) { rises += 1 }
    // Six times 256 frames lead from 512 to 2048 frames.
    #expect(rises == 6 && level.frames == 2_048)
    level.adopt(initial: 512, step: 256, capacity: 1_024, at: start)
    #expect(level.frames == 1_024)
  }
}

extension SoundCardTests {
  /// The test causes an underrun that counts as caused by the card: the thread of the test pauses for 1.5 times the time that the card
  /// buffers. An underrun counts as caused by the thread only if the thread notices it more than twice this time after the last write.
  @Test func levelOfTheLoopbackCardFallsAfterAMinuteWithoutUnderrun() throws {
    let device = try PCMDevice("hw:Loopback,0,2")
    defer { device.close() }
    let events = SoundEvents()
    let loop = CardLoop(device: device, latency: .zero, module: nil, events: events)
    func play(until end: Instant) { while MonotonicClock.now < end { #expect(loop.step() == .playing) } }
    #expect(loop.start())
    play(until: MonotonicClock.now + .seconds(2))
    let (foundLevel, underrunsBefore) = (loop.fillLevel, loop.counters.underruns)
    let buffered = device.grid.instant(of: foundLevel) - device.grid.instant(of: 0)
    MonotonicClock.sleep(until: MonotonicClock.now + buffered + Nanoseconds(buffered.count / 2))
    play(until: MonotonicClock.now + .seconds(1))
    let (raisedLevel, underrunsAfter) = (loop.fillLevel, loop.counters.underruns)
    #expect(raisedLevel == foundLevel + 256 && underrunsAfter == underrunsBefore + 1)
    play(until: MonotonicClock.now + .seconds(61))
    #expect(loop.fillLevel == foundLevel && loop.counters.underruns == underrunsAfter)
  }
}

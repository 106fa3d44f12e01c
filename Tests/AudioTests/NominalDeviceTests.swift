import Audio
import MusicalTime
import Seeds
import Testing

/// The card under a virtual clock: who comes in time gets period after period, who does not gets silence and goes on.
@Suite struct SteadyCardTests {
  private let grid = FrameGrid.standard

  @Test func aPeriodIsDueWhenTheOneBeforeBegins() {
    var card = NominalDevice(grid: grid, notBefore: Instant(nanoseconds: 0))
    #expect(card.next == 0)
    let begin = grid.instant(of: -256)
    #expect(card.step(at: begin - Nanoseconds(1)) == .wait(until: begin))
    #expect(card.step(at: begin) == .render(from: 0))
    #expect(card.step(at: begin) == .wait(until: Instant(nanoseconds: 0)))
    #expect(card.step(at: grid.instant(of: 256) - Nanoseconds(1)) == .render(from: 256))
    #expect(card.step(at: grid.instant(of: 256)) == .render(from: 512))
  }

  @Test func theFirstPeriodIsNotBeforeTheStart() {
    for frame in [1, 255, 256, 257, 48_000_000_001] as [Int64] {
      let card = NominalDevice(grid: grid, notBefore: grid.instant(of: frame))
      #expect(card.next % 256 == 0 && card.next >= frame && card.next < frame + 256)
    }
  }

  @Test func whoComesLateCatchesUpAndIsCountedOnce() {
    // The period that begins at 256 was due at 0. At its very first frame a converter would have run empty.
    var card = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    let late = grid.instant(of: 256 + 2 * 256) + Nanoseconds(1)
    #expect(card.step(at: late) == .renderLate(from: 256))
    for frame in [512, 768, 1024] as [Int64] { #expect(card.step(at: late) == .render(from: frame)) }
    #expect(card.step(at: late) == .wait(until: grid.instant(of: 1024)))
    #expect(card.step(at: grid.instant(of: 1024)) == .render(from: 1280))
    // Late again is counted again.
    #expect(card.step(at: grid.instant(of: 1536)) == .renderLate(from: 1536))
  }

  @Test func whoStaysAwayForASecondFindsSilence() {
    var card = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    #expect(card.step(at: grid.instant(of: 256 + 48_000) - Nanoseconds(1)) == .renderLate(from: 256))
    card = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    let late = grid.instant(of: 256 + 48_000)
    #expect(card.step(at: late) == .underrun(from: 256, frames: 188 * 256))
    #expect(card.step(at: late) == .render(from: 189 * 256))
    #expect(card.step(at: late) == .wait(until: grid.instant(of: 189 * 256)))
  }

  @Test func aHitKnownTheLeadAheadIsInTime() {
    // Also the last frame of a period, and an instant almost half a frame after it, is known before the period is asked
    // for.
    let card = NominalDevice(grid: grid, notBefore: Instant(nanoseconds: 0))
    for frame in 0..<Int64(1_024) {
      let known = grid.instant(of: frame) + Nanoseconds(10_416) - card.lead
      #expect(known < grid.instant(of: frame / 256 * 256 - 256))
    }
  }

  @Test(arguments: UInt64(1)...100) func theTimelineHasNoHole(seed: UInt64) {
    // A clock that hesitates: mostly punctual, sometimes away for up to a second.
    var random = SplitMix(seed: seed)
    var now = Instant(nanoseconds: random.integer(in: 0...1_000_000_000_000_000))
    var card = NominalDevice(grid: grid, notBefore: now)
    var next = card.next
    for _ in 0..<2_000 {
      switch card.step(at: now) {
      case .wait(let due):
        #expect(due > now && due - now <= .microseconds(20_000), "seed \(seed)")
        now = due
        switch random.integer(in: 0...20) {
        case 0: now = now + Nanoseconds(random.integer(in: 0...1_500_000_000))
        case 1...3: now = now + Nanoseconds(random.integer(in: 0...8_000_000))
        default: now = now + Nanoseconds(random.integer(in: 0...100_000))
        }
      case .render(let frame):
        #expect(frame == next && frame % 256 == 0, "seed \(seed)")
        #expect(now >= grid.instant(of: frame - 256), "seed \(seed)")
        next = frame + 256
      case .renderLate(let frame):
        #expect(frame == next && now >= grid.instant(of: frame), "seed \(seed)")
        #expect(now < grid.instant(of: frame) + NominalDevice.patience, "seed \(seed)")
        next = frame + 256
      case .underrun(let frame, let frames):
        #expect(frame == next && frames > 0 && frames % 256 == 0, "seed \(seed)")
        #expect(now >= grid.instant(of: frame) + NominalDevice.patience, "seed \(seed)")
        next = frame + frames
      }
      #expect(card.next == next, "seed \(seed)")
    }
  }
}

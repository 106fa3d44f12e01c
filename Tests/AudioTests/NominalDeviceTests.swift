import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the device without drift, with a virtual clock. A period has 256 frames and is due when the previous period begins.
/// The results `renderLate` and `underrun` each count as one underrun.
@Suite struct NominalDeviceTests {
  private let grid = FrameGrid.standard

  @Test func periodIsDueWhenThePreviousPeriodBegins() {
    var device = NominalDevice(grid: grid, notBefore: Instant(nanoseconds: 0))
    #expect(device.next == 0)
    let begin = grid.instant(of: -256)
    #expect(device.step(at: begin - Nanoseconds(1)) == .wait(until: begin))
    #expect(device.step(at: begin) == .render(from: 0))
    #expect(device.step(at: begin) == .wait(until: Instant(nanoseconds: 0)))
    #expect(device.step(at: grid.instant(of: 256) - Nanoseconds(1)) == .render(from: 256))
    #expect(device.step(at: grid.instant(of: 256)) == .render(from: 512))
  }

  @Test func firstPeriodBeginsAtOrAfterTheStart() {
    for frame in [1, 255, 256, 257, 48_000_000_001] as [Int64] {
      let device = NominalDevice(grid: grid, notBefore: grid.instant(of: frame))
      #expect(device.next % 256 == 0 && device.next >= frame && device.next < frame + 256)
    }
  }

  @Test func lateRendererCatchesUpAndCountsOneUnderrun() {
    // The period that begins at frame 256 was due at frame 0. The first step comes just after frame 768. At frame 256, a converter would
    // have run empty.
    var device = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    let late = grid.instant(of: 256 + 2 * 256) + Nanoseconds(1)
    #expect(device.step(at: late) == .renderLate(from: 256))
    for frame in [512, 768, 1024] as [Int64] { #expect(device.step(at: late) == .render(from: frame)) }
    #expect(device.step(at: late) == .wait(until: grid.instant(of: 1024)))
    #expect(device.step(at: grid.instant(of: 1024)) == .render(from: 1280))
    // The next underrun is counted again.
    #expect(device.step(at: grid.instant(of: 1536)) == .renderLate(from: 1536))
  }

  @Test func rendererLateByASecondGetsSilence() {
    var device = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    #expect(device.step(at: grid.instant(of: 256 + 48_000) - Nanoseconds(1)) == .renderLate(from: 256))
    // Silence until the next period boundary: a second has 187.5 periods.
    device = NominalDevice(grid: grid, notBefore: grid.instant(of: 256))
    let late = grid.instant(of: 256 + 48_000)
    #expect(device.step(at: late) == .underrun(from: 256, frames: 188 * 256))
    #expect(device.step(at: late) == .render(from: 189 * 256))
    #expect(device.step(at: late) == .wait(until: grid.instant(of: 189 * 256)))
  }

  @Test func hitSubmittedByItsLeadInAdvanceIsInTime() {
    // A hit that is submitted its lead (two periods) in advance arrives before its period is requested. The frames of four
    // periods are tested, each with an instant almost half a frame after the frame.
    let device = NominalDevice(grid: grid, notBefore: Instant(nanoseconds: 0))
    for frame in 0..<Int64(1_024) {
      // Half a frame is 10 417 ns.
      let submitted = grid.instant(of: frame) + Nanoseconds(10_416) - device.lead
      // The period of the frame is requested when the period before it begins.
      #expect(submitted < grid.instant(of: frame / 256 * 256 - 256))
    }
  }

  @Test(arguments: UInt64(1)...100) func requestedPeriodsAreContiguous(seed: UInt64) {
    // The renderer is mostly on time and sometimes late by up to 1.5 s.
    var random = SplitMix(seed: seed)
    var now = Instant(nanoseconds: random.integer(in: 0...1_000_000_000_000_000))
    var device = NominalDevice(grid: grid, notBefore: now)
    var next = device.next
    for _ in 0..<2_000 {
      switch device.step(at: now) {
      case .wait(let due):
        // The next period is due when the period before it begins. That period was requested when it was due, or later. The wait
        // is therefore at most one period.
        #expect(due == grid.instant(of: next - 256) && due > now, "seed \(seed)")
        #expect(now >= grid.instant(of: next - 2 * 256), "seed \(seed)")
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
        #expect(now < grid.instant(of: frame) + NominalDevice.maximumLateness, "seed \(seed)")
        next = frame + 256
      case .underrun(let frame, let frames):
        #expect(frame == next && frames > 0 && frames % 256 == 0, "seed \(seed)")
        #expect(now >= grid.instant(of: frame) + NominalDevice.maximumLateness, "seed \(seed)")
        next = frame + frames
      }
      #expect(device.next == next, "seed \(seed)")
    }
  }
}

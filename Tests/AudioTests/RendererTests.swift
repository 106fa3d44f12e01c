import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the rendering of hits.
@Suite struct RendererTests {
  private let grid = FrameGrid.standard
  /// The first frame of the first period.
  private let start: Int64 = 48_000 * 1_000

  private func event(at frame: Int64, plus nanoseconds: Int64 = 0, note: UInt8 = 38) -> SoundEvent {
    SoundEvent(instant: grid.instant(of: frame) + Nanoseconds(nanoseconds), note: note, velocity: 110, group: 0)
  }

  @Test(arguments: [0, 1, 255, 256, 700]) func hitStartsOnTheFrameNearestToItsInstant(offset: Int64) throws {
    var reference = try DrumLanes(.timGM6mb)
    reference.skip(to: start)
    let struck = reference.strike(38, velocity: 110, at: start + offset)
    let expected = reference.render(1_024)
    #expect(struck && expected.peak > 0.1)
    // Less than half a frame (10 417 ns) before and after the instant of the frame.
    for nanoseconds in [-10_000, 0, 10_000] as [Int64] {
      var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
      renderer.add(event(at: start + offset, plus: nanoseconds))
      var sound = Sound()
      for period in 0..<Int64(4) { sound += renderer.render(from: start + period * 256, 256) }
      let counters = renderer.counters
      #expect(sound.firstDifference(from: expected.limited) == nil && counters.hits == 1 && counters.late == 0)
    }
  }

  @Test func lateHitSoundsOnTheFirstPossibleFrameAndIsCounted() throws {
    var reference = try DrumLanes(.timGM6mb)
    reference.skip(to: start)
    let struck = reference.strike(38, velocity: 110, at: start)
    let expected = reference.render(256)

    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    // 480 frames are 10 ms.
    renderer.add(event(at: start - 480))
    let sound = renderer.render(from: start, 256)
    let counters = renderer.counters
    #expect(struck && sound.firstDifference(from: expected.limited) == nil)
    #expect(counters.hits == 1 && counters.late == 1 && counters.dropped == 0)
    #expect(counters.maximumLateness == .milliseconds(10))
  }

  @Test func maximumLatenessIsKept() {
    var renderer = Renderer(grid: grid, module: nil)
    // Late by 1, 100 and 10 ms.
    for frames in [48, 4_800, 480] as [Int64] { renderer.add(event(at: start - frames)) }
    _ = renderer.render(from: start, 256)
    let counters = renderer.counters
    #expect(counters.hits == 3 && counters.late == 3 && counters.maximumLateness == .milliseconds(100))
  }

  @Test func hitMoreThanASecondLateIsDropped() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    // Exactly a second late, more than a second late, and at the extreme instants. The last hit is not due yet.
    renderer.add(event(at: start - 48_000))
    renderer.add(event(at: start - 48_001))
    renderer.add(SoundEvent(instant: Instant(nanoseconds: .min), note: 38, velocity: 110, group: 0))
    renderer.add(SoundEvent(instant: .distantFuture, note: 38, velocity: 110, group: 0))
    _ = renderer.render(from: start, 256)
    let counters = renderer.counters
    #expect(counters.hits == 1 && counters.late == 1 && counters.dropped == 2)
    #expect(counters.maximumLateness == .seconds(1))
  }

  @Test func hitWaitsForItsPeriod() {
    var renderer = Renderer(grid: grid, module: nil)
    renderer.add(event(at: start + 256))
    #expect(renderer.render(from: start, 256).isSilent)
    let before = renderer.counters
    #expect(renderer.render(from: start + 256, 256).isSilent)
    let after = renderer.counters
    #expect(before.hits == 0 && after.hits == 1 && after.late == 0)
  }

  @Test func recalledHitsDoNotSound() {
    var renderer = Renderer(grid: grid, module: nil)
    // The recall removes five of these eight hits: those from frame 300 on. It does not remove the hit that is added
    // after it.
    for number in 0..<Int64(8) { renderer.add(event(at: start + number * 100)) }
    renderer.add(.recall(from: grid.instant(of: start + 300)))
    renderer.add(event(at: start + 310))
    for period in 0..<Int64(4) { _ = renderer.render(from: start + period * 256, 256) }
    let counters = renderer.counters
    #expect(counters.hits == 4 && counters.late == 0 && counters.dropped == 0)
  }

  @Test func invalidAndOverflowingHitsAreCounted() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.add(event(at: start, note: 128))
    renderer.add(SoundEvent(instant: grid.instant(of: start), note: 38, velocity: 0, group: 0))
    renderer.add(SoundEvent(instant: grid.instant(of: start), note: 38, velocity: 100, group: 200))
    #expect(renderer.render(from: start, 256).isSilent)
    for _ in 0..<EventQueue.capacity + 5 { renderer.add(event(at: start + 10_000)) }
    let counters = renderer.counters
    // Three invalid hits, and five hits beyond the capacity.
    #expect(counters.hits == 0 && counters.dropped == 8)
  }

  @Test func hitOnACardFollowsTheFrameFit() {
    // The card is 100 ppm slow and has its own frame numbers. Its frame 5000 sounds at the same instant as frame `start` of the grid.
    let fit = FrameFit(frame: 5_000, at: grid.instant(of: start), grid: grid, drift: 1e-4)
    for offset in [0, 1, 100, 255] as [Int64] {
      var renderer = Renderer(grid: grid, module: nil)
      renderer.map = .fit(fit)
      let instant = fit.instant(of: 5_256 + offset)
      // The hit is submitted at its instant. On a card, a hit is in time as long as its frame has not been written.
      var event = SoundEvent(instant: instant, note: 38, velocity: 100, group: 0)
      event.submitted = instant
      renderer.add(event)
      _ = renderer.render(from: 5_000, 256)
      let before = renderer.counters
      _ = renderer.render(from: 5_256, 256)
      let after = renderer.counters
      #expect(before.hits == 0 && after.hits == 1 && after.late == 0)
    }
  }

  @Test func lateHitOnACardSoundsOnTheNextFrame() throws {
    let fit = FrameFit(frame: 5_000, at: grid.instant(of: start), grid: grid)
    var reference = try DrumLanes(.timGM6mb)
    reference.skip(to: 5_000)
    let struck = reference.strike(38, velocity: 110, at: 5_000)
    let expected = reference.render(256)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.map = .fit(fit)
    renderer.add(event(at: start - 480))
    let sound = renderer.render(from: 5_000, 256)
    let counters = renderer.counters
    #expect(struck && sound.firstDifference(from: expected.limited) == nil)
    #expect(counters.late == 1 && counters.maximumLateness == .milliseconds(10))
  }

  @Test func hitsDueWithoutACardAreDropped() {
    var renderer = Renderer(grid: grid, module: nil)
    for frame in [-1, 0, 1, 300] as [Int64] { renderer.add(event(at: start + frame)) }
    renderer.drop(before: grid.instant(of: start + 1))
    // The hits at -1 and 0 are dropped. The other two sound.
    let dropped = renderer.counters.dropped
    _ = renderer.render(from: start, 512)
    let hits = renderer.counters.hits
    #expect(dropped == 2 && hits == 2)
  }
}

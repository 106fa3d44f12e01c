import Testing
import _TestSupport

@testable import Audio

/// Tests of lanes that are created while the rhythm plays.
@Suite struct LaneSupplyTests {
  /// Passes the lanes that `lanes` has requested, as the thread of a ``SoundSupply`` does. Returns their number.
  private func fulfil(_ rings: SupplyRings, for lanes: borrowing DrumLanes, _ soundFont: SoundFont) -> Int {
    var count = 0
    while let request = rings.requests.pop() {
      guard case .lane = request else { continue }
      rings.lanes.push(.init(synthesizer: DrumLanes.makeLane(like: lanes.lanes[0], soundFont)))
      count += 1
    }
    return count
  }

  /// Cymbals on different frames of their blocks, so that each needs a lane of its own. They sound as if all lanes existed.
  @Test(arguments: InstalledSoundFont.all) func suppliedLanesSoundLikeTheFirst(font: InstalledSoundFont) throws {
    let (soundFont, rings) = (try SoundFont(font.path, rate: 48_000), SupplyRings())
    var growing = try DrumLanes(soundFont, supply: rings)
    var complete = try DrumLanes(soundFont)
    #expect(growing.count == DrumLanes.initialLanes)
    var supplied = 0
    for hit in 0..<50 {
      let frame = growing.position + Int64(hit)
      let isStruck = growing.strike(49, velocity: 100, at: frame)
      let isExpected = complete.strike(49, velocity: 100, at: frame)
      #expect(isStruck && isExpected)
      supplied += fulfil(rings, for: growing, soundFont)
      let (sound, reference) = (growing.render(256), complete.render(256))
      #expect(sound.firstDifference(from: reference) == nil, "hit \(hit)")
    }
    #expect(growing.count == DrumLanes.initialLanes + supplied && growing.count >= 50)
  }

  /// Without a supply that answers, the oldest sounds end. Every hit still begins on its frame.
  @Test func hitsBeginOnTheirFramesWhileLanesAreMissing() throws {
    let (soundFont, rings) = (try SoundFont(InstalledSoundFont.timGM6mb.path, rate: 48_000), SupplyRings())
    var lanes = try DrumLanes(soundFont, supply: rings)
    for hit in 0..<40 {
      let isStruck = lanes.strike(49, velocity: 100, at: lanes.position + Int64(hit))
      #expect(isStruck)
      _ = lanes.render(256)
    }
    #expect(lanes.count == DrumLanes.initialLanes)
  }

  /// The thread of the supply creates the lanes. Lanes that were not used yet are deleted with the others.
  @Test func threadOfTheSupplyCreatesLanesAndLoadsPrograms() async throws {
    let supply = SoundSupply()
    var module = try SoundModule(soundFont: InstalledSoundFont.timGM6mb.path, supply: supply, programs: [])
    supply.prepare([33])
    for hit in 0..<20 {
      _ = module.lanes.strike(49, velocity: 100, at: module.lanes.position + Int64(hit))
      _ = module.lanes.render(256)
    }
    // 20 cymbals sound, so 28 lanes are needed. The wait has no effect on the result.
    for _ in 0..<2_000 where module.lanes.count < 28 {
      try await pause(for: .milliseconds(5))
      _ = module.lanes.render(1)
    }
    #expect(module.lanes.count == 28)
  }
}

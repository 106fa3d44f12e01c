import MIDI
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

  /// Random messages on all channels, and notes on different frames, more and more of them. New lanes sound as if they had existed from the
  /// start: they get all settings that they have missed.
  @Test(arguments: 1...12) func newLaneHasTheSettingsOfTheOthers(seed: UInt64) throws {
    let (soundFont, rings) = (try SoundFont(InstalledSoundFont.timGM6mb.path, rate: 48_000), SupplyRings())
    var growing = ChannelSynthesizer(soundFont, supply: rings)
    var complete = ChannelSynthesizer(soundFont)
    let before = growing.count
    var random = SplitMix(seed: seed)
    func data(below limit: UInt64 = 128) -> UInt7 { UInt7(masking: UInt8(random.next() % limit)) }
    let controllers: [UInt7] = [0, 1, 6, 7, 10, 11, 38, 64, 71, 74, 91, 98, 99, 100, 100, 101, 101, 121]
    for round in 0..<60 {
      for _ in 0..<12 {
        let channel = Channel(Int(random.next() % 15) + 2)!
        let message: Message =
          switch random.next() % 6 {
          case 0: .programChange(channel, program: data())
          case 1: .pitchBend(channel, UInt14(low: data(), high: data()))
          case 2: .channelPressure(channel, pressure: data())
          case 3: .polyphonicPressure(channel, key: data(), pressure: data())
          default:
            .controlChange(
              channel, controller: controllers[Int(random.next() % UInt64(controllers.count))], value: data(below: 4))
          }
        let (isPlayed, isExpected) = (growing.play(message), complete.play(message))
        #expect(isPlayed == isExpected)
      }
      // Held notes, of which more and more sound at once.
      let key = UInt7(masking: UInt8(40 + random.next() % 40))
      let note = Message.noteOn(Channel(2 + round % 8)!, key: key, velocity: 100)
      let (isPlayed, isExpected) = (growing.play(note), complete.play(note))
      #expect(isPlayed == isExpected)
      while let request = rings.requests.pop() {
        guard case .channelLane = request else { continue }
        let lane = ChannelSynthesizer.makeLane(like: growing.synthesizers[0], soundFont)
        rings.channelLanes.push(.init(synthesizer: lane))
      }
      let count = Int(random.next() % 400) + 65
      let (sound, reference) = (growing.render(count), complete.render(count))
      #expect(sound.firstDifference(from: reference) == nil, "round \(round), \(growing.count) lanes")
    }
    #expect(growing.count > before)
  }

  /// The thread of the supply creates the lanes. Lanes that were not used yet are deleted with the others.
  @Test func threadOfTheSupplyCreatesLanesAndLoadsPrograms() async throws {
    let supply = SoundSupply()
    var module = try SoundModule(soundFont: InstalledSoundFont.timGM6mb.path, supply: supply, programs: [])
    supply.prepare([33])
    // A cymbal sounds for seconds, so more and more lanes are needed. The thread creates them while this one waits.
    for hit in 0..<2_000 where module.lanes.count < 26 {
      _ = module.lanes.strike(49, velocity: 100, at: module.lanes.position + Int64(hit % 64))
      _ = module.lanes.render(256)
      try await pause(for: .milliseconds(5))
    }
    #expect(module.lanes.count == 26)
  }
}

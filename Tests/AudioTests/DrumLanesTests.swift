import Foundation
import Testing
import _TestSupport

@testable import Audio

/// Tests of hits on exact frames for all period lengths. FluidSynth alone starts a hit only at the beginning of a block of 64
/// frames. The notes are drums of General MIDI, for example 36 bass drum, 37 side stick, 38 snare, 42 closed and 46 open hi-hat,
/// 49 crash.
@Suite struct DrumLanesTests {
  /// Side stick: a short sound with its attack in the first frames.
  static let stick: UInt8 = 37

  @Test(arguments: InstalledSoundFont.all) func hitSoundsTheSameOnEveryFrame(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var reference: Sound?
    // 130 frames are more than two blocks.
    for offset in 0..<Int64(130) {
      lanes.fallSilent()
      let start = lanes.position
      let struck = lanes.strike(Self.stick, velocity: 110, at: start + offset)
      #expect(struck)
      let sound = lanes.render(8_192)
      #expect(sound[0..<Int(offset)].isSilent, "\(offset)")
      let hit = sound[Int(offset)..<Int(offset) + 8_000]
      #expect(hit.peak > 0.01)
      #expect(hit[0..<32].peak > 0)
      if let reference { #expect(hit == reference, "\(offset)") } else { reference = hit }
    }
  }

  @Test(arguments: InstalledSoundFont.all) func hitIsIndependentOfEarlierHitsInItsLane(font: InstalledSoundFont) throws
  {
    // Toms and cymbals at the far left and right, some of them together, so that several voice slots are used.
    var lanes = try DrumLanes(font)
    var reference: Sound?
    for history in [[], [41], [50], [53], [48, 41], [42, 38, 49]] as [[UInt8]] {
      for note in history {
        let struck = lanes.strike(note, velocity: 127, at: lanes.position)
        #expect(struck)
      }
      _ = lanes.render(4_096)
      // Skip the rest of the crash, or render the decay of the other drums (10 s). All frame counts are multiples of 64, so the same
      // lane plays all hits.
      if history.contains(49) { lanes.fallSilent() } else { _ = lanes.render(479_232) }
      let struck = lanes.strike(38, velocity: 100, at: lanes.position)
      let sound = lanes.render(8_192)
      #expect(struck && sound.peak > 0.01)
      if let reference {
        #expect(sound.firstDifference(from: reference) == nil, "\(history)")
      } else {
        reference = sound
      }
      lanes.fallSilent()
    }
  }

  @Test(arguments: InstalledSoundFont.all) func hitsAtVaryingFramesOfABlockLandOnTheirFrames(font: InstalledSoundFont)
    throws
  {
    var lanes = try DrumLanes(font)
    // The first frame is no multiple of 64.
    lanes.skip(to: 1_000_000_007)
    let start = lanes.position
    // An odd number of frames, so that the hits begin at all frames of a block. The closed hi-hat of FluidR3 sounds for 37 000 frames.
    let (hits, spacing) = (130, 40_009)
    var sound = Sound()
    var next = 0
    while sound.left.count < hits * spacing {
      while next < hits, next * spacing < sound.left.count + 256 {
        let struck = lanes.strike(42, velocity: 100, at: start + Int64(next * spacing))
        #expect(struck)
        next += 1
      }
      sound += lanes.render(256)
    }
    // Each hit ends before the next begins.
    let first = sound[0..<spacing]
    #expect(first.peak > 0.01 && first[spacing - 64..<spacing].isSilent)
    for hit in 1..<hits {
      #expect(sound[hit * spacing..<(hit + 1) * spacing].firstDifference(from: first) == nil, "hit \(hit)")
    }
  }

  /// Returns 60 random hits in less than a second, sorted by frame. Some hits are in cut-off groups, and crashes overlap.
  private func randomHits(seed: UInt64) -> [(frame: Int64, note: UInt8, velocity: UInt8, group: UInt8)] {
    var random = SplitMix(seed: seed)
    // Note and cut-off group.
    let kit: [(UInt8, UInt8)] = [(36, 0), (38, 0), (42, 1), (46, 1), (44, 1), (49, 0), (45, 0), (71, 2), (72, 2)]
    return (0..<60).map { _ in
      let (note, group) = kit[Int(random.integer(in: 0...8))]
      return (random.integer(in: 0...39_000), note, UInt8(random.integer(in: 1...127)), group)
    }.sorted { $0.0 < $1.0 }
  }

  @Test(arguments: InstalledSoundFont.all, UInt64(1)...3) func everyPeriodLengthRendersTheSameBits(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    let hits = randomHits(seed: seed)
    var random = SplitMix(seed: seed + 1_000)
    var renderings: [Sound] = []
    // A period of 0 stands for random periods of 1 to 700 frames.
    for period in [256, 64, 1, 0, 4_096] as [Int64] {
      var lanes = try DrumLanes(font)
      var sound = Sound()
      var next = 0
      while sound.left.count < 40_960 {
        let remaining = 40_960 - lanes.position
        let frames = min(remaining, period == 0 ? random.integer(in: 1...700) : period)
        while next < hits.count, hits[next].frame < lanes.position + frames {
          let hit = hits[next]
          let struck = lanes.strike(hit.note, velocity: hit.velocity, group: hit.group, at: hit.frame)
          #expect(struck)
          next += 1
        }
        sound += lanes.render(Int(frames))
      }
      renderings.append(sound)
    }
    #expect(renderings[0].peak > 0.1)
    for rendering in renderings { #expect(rendering.firstDifference(from: renderings[0]) == nil, "seed \(seed)") }
  }

  @Test(arguments: InstalledSoundFont.all) func hitBeyondTheNextPeriodIsKept(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    let early = lanes.strike(Self.stick, velocity: 100, at: 1_000)
    let sound = lanes.render(100).left + lanes.render(3_996).left
    var other = try DrumLanes(font)
    let inTime = other.strike(Self.stick, velocity: 100, at: 1_000)
    let isSame = sound == other.render(4_096).left
    #expect(early && inTime && isSame)
  }

  @Test(arguments: InstalledSoundFont.all, [100, 101, 163, 4_000]) func hitCutsOffItsGroupInOtherLanes(
    font: InstalledSoundFont, distance: Int
  ) throws {
    // An open hi-hat rings for seconds. A closed hi-hat in the same group and another lane ends it within a block.
    var lanes = try DrumLanes(font)
    var struck = lanes.strike(46, velocity: 127, group: 1, at: 5)
    let open = lanes.render(distance + 5)
    #expect(struck && open.peak > 0.01)
    struck = lanes.strike(42, velocity: 100, group: 1, at: lanes.position)
    let cut = lanes.render(8_000)

    var alone = try DrumLanes(font)
    alone.skip(to: lanes.position - 8_000)
    struck = alone.strike(42, velocity: 100, group: 1, at: alone.position) && struck
    let closed = alone.render(8_000)
    #expect(struck && closed.peak > 0.01)
    // The open hi-hat ends at most 63 frames after the closed hi-hat began.
    #expect(cut[63..<8_000].firstDifference(from: closed[63..<8_000]) == nil)
  }

  @Test(arguments: InstalledSoundFont.all) func hitDoesNotCutOffOtherGroups(font: InstalledSoundFont) throws {
    // A hit in group 2 or without a group does not change an open hi-hat in group 1: the sound is the sum of both alone.
    for group in [0, 2] as [UInt8] {
      var both = try DrumLanes(font)
      var open = try DrumLanes(font)
      var stick = try DrumLanes(font)
      var struck = both.strike(46, velocity: 127, group: 1, at: 0)
      struck = open.strike(46, velocity: 127, group: 1, at: 0) && struck
      struck = both.strike(Self.stick, velocity: 100, group: group, at: 1_001) && struck
      struck = stick.strike(Self.stick, velocity: 100, group: group, at: 1_001) && struck
      let (sum, one, other) = (both.render(9_000), open.render(9_000), stick.render(9_000))
      #expect(struck && one[8_000..<9_000].peak > 0)
      #expect(zip(sum.left, zip(one.left, other.left)).allSatisfy { $0 == $1.0 + $1.1 })
    }
  }

  @Test(arguments: InstalledSoundFont.all) func everyGroupPlaysTheDrumKit(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var reference: Sound?
    for group in 0...DrumLanes.groupCount {
      lanes.fallSilent()
      let struck = lanes.strike(38, velocity: 120, group: group, at: lanes.position)
      let sound = lanes.render(4_096)
      #expect(struck && sound.peak > 0.1)
      if let reference { #expect(sound == reference, "group \(group)") } else { reference = sound }
    }
  }

  @Test(arguments: InstalledSoundFont.all, [1, 63, 64, 256, 5_000, 48_000]) func voicesContinueAfterASkip(
    font: InstalledSoundFont, gap: Int
  ) throws {
    var lanes = try DrumLanes(font)
    var whole = try DrumLanes(font)
    let struck = lanes.strike(49, velocity: 127, at: 77) && whole.strike(49, velocity: 127, at: 77)
    let before = lanes.render(256)
    lanes.skip(to: 256 + Int64(gap))
    let sound = whole.render(256 + gap + 2_000)
    #expect(struck && before == sound[0..<256])
    #expect(lanes.render(2_000) == sound[256 + gap..<256 + gap + 2_000])
  }

  /// A skip of more than a second (48 000 frames) ends all voices. A skip back has no effect.
  @Test(arguments: InstalledSoundFont.all) func longSkipSilencesAllVoices(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var struck = true
    for frame in 0..<Int64(64) { struck = lanes.strike(49, velocity: 127, at: frame) && struck }
    #expect(struck && lanes.render(256).peak > 0.1)
    lanes.skip(to: 256 + 48_001)
    #expect(lanes.position == 256 + 48_001)
    #expect(lanes.render(10_000).isSilent)
    // The skip to frame 5 leaves the position after the 10 000 rendered frames.
    lanes.skip(to: 5)
    #expect(lanes.position == 58_257)
  }

  @Test(arguments: InstalledSoundFont.all) func hitOutOfRangeIsRejected(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    lanes.skip(to: 10_000_000)
    let start = lanes.position
    // In this order: note, velocity and group out of range; frames before the position, beyond the longest period of 4096
    // frames, and at the limits of the type.
    let results = [
      lanes.strike(128, velocity: 100, at: start), lanes.strike(255, velocity: 100, at: start),
      lanes.strike(38, velocity: 0, at: start), lanes.strike(38, velocity: 128, at: start),
      lanes.strike(38, velocity: 100, group: 9, at: start), lanes.strike(38, velocity: 100, at: start - 1),
      lanes.strike(38, velocity: 100, at: start + 4_096), lanes.strike(38, velocity: 100, at: .max),
      lanes.strike(38, velocity: 100, at: .min),
    ]
    #expect(results.allSatisfy { !$0 })
    #expect(lanes.render(4_096).isSilent)
  }

  /// Accented sixteenths of kick, snare, hi-hat, tom and crash together at 140 BPM for four bars. The sum is above full scale,
  /// and ``SoftLimit`` limits it.
  @Test(arguments: InstalledSoundFont.all) func denseGrooveStaysBelowFullScale(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var (peak, limitedPeak) = (Float(0), Float(0))
    for sixteenth in 0..<Int64(64) {
      let frame = lanes.position
      // The hits begin at varying frames of a block.
      for note in [36, 38, 42, 45, 49] as [UInt8] {
        let struck = lanes.strike(note, velocity: 120, group: note == 42 ? 1 : 0, at: frame + sixteenth % 7)
        #expect(struck)
      }
      // A sixteenth at 140 BPM.
      let sound = lanes.render(5_143)
      peak = max(peak, sound.peak)
      limitedPeak = max(limitedPeak, sound.limited.peak)
    }
    #expect(peak > 1.3 && peak < 3.2 && limitedPeak < SoftLimit.ceiling)
  }

  @Test func invalidSoundFontIsReportedWithReasonAndRemedy() throws {
    let folder = try TemporaryFolder()
    let text = folder.path("text.sf2")
    try "no SoundFont".write(toFile: text, atomically: true, encoding: .utf8)
    let truncated = folder.path("truncated.sf2")
    try FileHandle(forReadingFrom: URL(fileURLWithPath: InstalledSoundFont.timGM6mb.path)).readData(ofLength: 5_000)
      .write(to: URL(fileURLWithPath: truncated))
    let remedy =
      "install the package timgm6mb-soundfont or fluid-soundfont-gm, or give a SoundFont with --soundfont (tutti peer, "
      + "tutti patch render)"
    for (path, kind, reason) in [
      (folder.path("none.sf2"), AudioFileError.Kind.unavailable, "No such file or directory"),
      (folder.url.path, .unavailable, "not a regular file"),
      ("/dev/null", .unavailable, "not a regular file"),
      (text, .malformed, "not a SoundFont"),
      (truncated, .malformed, "the SoundFont is truncated"),
    ] {
      do throws(AudioFileError) {
        _ = try DrumLanes(soundFont: path)
        Issue.record("\(path) was accepted")
      } catch {
        #expect(error.kind == kind && error.description == "\(path): \(reason); \(remedy)")
      }
    }
  }
}

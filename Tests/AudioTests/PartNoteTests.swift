import Testing
import _TestSupport

@testable import Audio

/// Tests of the notes of the pitched parts: 1 (bass), 2 (guitar) and 3 (keys). General MIDI programs are zero-based, for example 0 (piano),
/// 16 (organ) and 33 (finger bass).
@Suite struct PartNoteTests {
  private static let organ: UInt8 = 16

  @Test(arguments: InstalledSoundFont.all) func noteSoundsTheSameOnEveryFrame(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var reference: Sound?
    // 130 frames are more than two blocks.
    for offset in 0..<Int64(130) {
      lanes.fallSilent()
      let start = lanes.position + offset
      let isPlayed = lanes.play(
        60, velocity: 100, part: 1, program: Self.organ, at: start, until: start + 3000)
      #expect(isPlayed)
      let sound = lanes.render(8_192)
      #expect(sound[0..<Int(offset)].isSilent, "\(offset)")
      let note = sound[Int(offset)..<Int(offset) + 8_000]
      // The organ of FluidR3 begins softly.
      #expect(note.peak > 0.01 && note[0..<480].peak > 0)
      if let reference { #expect(note == reference, "\(offset)") } else { reference = note }
    }
  }

  @Test(arguments: InstalledSoundFont.all) func noteIsReleasedAtItsEnd(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    _ = lanes.play(60, velocity: 100, part: 1, program: Self.organ, at: 0, until: 24_000)
    _ = lanes.play(60, velocity: 100, part: 2, program: Self.organ, at: 0, until: 48_000)
    let sound = lanes.render(4_096 * 15)
    // An organ sounds at a constant level. After the first note has ended, the level is lower. After both notes have ended, it decays.
    let (both, one, none) = (sound[10_000..<20_000].peak, sound[36_000..<46_000].peak, sound[58_000..<61_000].peak)
    #expect(one < 0.8 * both && one > 0.2 * both && none < 0.2 * one, "\(both) \(one) \(none)")
  }

  @Test(arguments: InstalledSoundFont.all) func releaseEndsLongNotes(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var other = try DrumLanes(font)
    _ = lanes.play(60, velocity: 100, part: 3, program: Self.organ, at: 0, until: 1_000_000)
    _ = other.play(60, velocity: 100, part: 3, program: Self.organ, at: 0, until: 20_000)
    _ = lanes.render(4_096)
    _ = other.render(4_096)
    lanes.releaseNotes(at: 20_000)
    #expect(lanes.render(40_960).firstDifference(from: other.render(40_960)) == nil)
  }

  /// The end of an earlier note does not end a later note with the same key in another lane.
  @Test(arguments: InstalledSoundFont.all) func laterNoteOfTheSameKeyIsKept(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    _ = lanes.play(60, velocity: 100, part: 1, program: Self.organ, at: 0, until: 10_000)
    _ = lanes.render(4_096)
    _ = lanes.play(60, velocity: 100, part: 1, program: Self.organ, at: 8_001, until: 100_000)
    let sound = lanes.render(61_440)
    #expect(sound[40_000..<60_000].peak > 0.01)
  }

  @Test(arguments: InstalledSoundFont.all) func partsKeepTheirProgram(font: InstalledSoundFont) throws {
    /// Plays `notes` one after the other, each followed by silence. Then plays the last note once more and returns its sound.
    func sound(_ notes: [(part: UInt8, program: UInt8)]) throws -> Sound {
      var lanes = try DrumLanes(font)
      for note in notes {
        _ = lanes.play(
          48, velocity: 100, part: note.part, program: note.program, at: lanes.position, until: lanes.position + 5_000)
        _ = lanes.render(4_096)
        lanes.fallSilent()
      }
      let last = notes.last!
      _ = lanes.play(
        48, velocity: 100, part: last.part, program: last.program, at: lanes.position, until: lanes.position + 5_000)
      return lanes.render(8_192)
    }
    let bass = try sound([(1, 33)])
    let organ = try sound([(1, Self.organ)])
    #expect(bass.firstDifference(from: organ) != nil)
    // Programs of earlier notes of the same lane and of other parts have no effect.
    #expect(try sound([(1, Self.organ), (2, 0), (1, 33)]).firstDifference(from: bass) == nil)
  }

  @Test(arguments: InstalledSoundFont.all, UInt64(1)...3) func everyPeriodLengthRendersTheSameBits(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    let notes = (0..<60).map { _ in
      (
        frame: random.integer(in: 0...39_000), key: UInt8(random.integer(in: 36...72)),
        part: UInt8(random.integer(in: 1...3)),
        length: random.integer(in: 1...9_000)
      )
    }.sorted { $0.frame < $1.frame }
    var renderings: [Sound] = []
    // A period of 0 stands for random periods of 1 to 700 frames.
    for period in [256, 64, 1, 0, 4_096] as [Int64] {
      var lanes = try DrumLanes(font)
      var (sound, next) = (Sound(), 0)
      while sound.left.count < 40_960 {
        let frames = min(40_960 - lanes.position, period == 0 ? random.integer(in: 1...700) : period)
        while next < notes.count, notes[next].frame < lanes.position + frames {
          let note = notes[next]
          // The parts have the programs 16, 32 and 48.
          _ = lanes.play(
            note.key, velocity: 90, part: note.part, program: 16 * note.part, at: note.frame,
            until: note.frame + note.length)
          next += 1
        }
        sound += lanes.render(Int(frames))
      }
      renderings.append(sound)
    }
    #expect(renderings[0].peak > 0.1)
    for rendering in renderings { #expect(rendering.firstDifference(from: renderings[0]) == nil, "seed \(seed)") }
  }

  @Test(arguments: InstalledSoundFont.all) func invalidNotesAreRefused(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    // In each row, one value is out of range.
    for (key, velocity, part, program) in [
      (128, 1, 1, 0), (60, 0, 1, 0), (60, 128, 1, 0), (60, 1, 0, 0), (60, 1, 4, 0), (60, 1, 1, 128),
    ] as [(UInt8, UInt8, UInt8, UInt8)] {
      let isPlayed = lanes.play(key, velocity: velocity, part: part, program: program, at: 0, until: 10)
      #expect(!isPlayed)
    }
    #expect(lanes.render(4_096).isSilent)
    // Notes on one frame are accepted until their voices use all lanes. A lane has room for 12 voices, so it holds 4 to 12 notes.
    var (played, refused) = (0, 0)
    for key in UInt8(0)..<128 {
      for part in UInt8(1)...3 {
        for program in [Self.organ, 0, 33] as [UInt8] {
          let isPlayed = lanes.play(
            key, velocity: 1, part: part, program: program, at: lanes.position, until: lanes.position + 100_000)
          if isPlayed { played += 1 } else { refused += 1 }
        }
      }
    }
    #expect(played >= 256 && refused > 0, "\(played) \(refused)")
  }
}

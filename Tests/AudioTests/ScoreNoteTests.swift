import Testing
import _TestSupport

@testable import Audio

/// Tests of the notes of scores in ``DrumLanes``. General MIDI programs are zero-based, for example 13 (xylophone) and 16 (organ). An organ
/// sounds at a constant level while it is held.
@Suite struct ScoreNoteTests {
  private static let (xylophone, organ): (UInt8, UInt8) = (13, 16)

  /// Two parts begin the same key of the same program on one frame, in one lane. The first part ends earlier.
  @Test(arguments: InstalledSoundFont.all) func unisonOfTwoPartsEndsIndependently(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    var single = try DrumLanes(font)
    for (part, end) in [(UInt8(0), Int64(24_000)), (1, 48_000)] {
      let isPlayed = lanes.play(60, velocity: 100, scorePart: part, program: Self.organ, at: 7, until: end)
      #expect(isPlayed)
    }
    #expect(lanes.table.active.nonzeroBitCount == 1 && lanes.noteEnds.count == 2)
    _ = single.play(60, velocity: 100, scorePart: 1, program: Self.organ, at: 7, until: 48_000)
    let (sound, alone) = (lanes.render(4_096 * 15), single.render(4_096 * 15))
    // While both sound, the amplitude is twice that of one. After the end of the first, the second goes on unchanged.
    let both = (sound[10_000..<20_000].peak, alone[10_000..<20_000].peak)
    #expect(abs(both.0 - 2 * both.1) < 0.01 * both.1, "\(both)")
    let one = (sound[36_000..<46_000].peak, alone[36_000..<46_000].peak)
    #expect(abs(one.0 - one.1) < 0.01 * one.1, "\(one)")
    #expect(sound[58_000..<61_000].peak < 0.2 * one.1 && lanes.noteEnds.count == 0)
  }

  /// In a dense score, each note begins on its frame and has its length: the sound is the sum of the notes, each rendered alone.
  @Test(arguments: InstalledSoundFont.all, UInt64(1)...2) func everyOnsetIsOnItsFrame(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    struct Kind: Hashable { var key, program: UInt8 }
    var random = SplitMix(seed: seed)
    // 300 notes in ten seconds. A third of them begins together with another note.
    var frames = (0..<200).map { _ in random.integer(in: 0...430_000) }
    frames += frames.prefix(100)
    let notes = frames.sorted().map { frame in
      (
        frame: frame, part: UInt8(random.integer(in: 0...63)),
        kind: Kind(
          key: UInt8(60 + 3 * random.integer(in: 0...3)),
          program: random.integer(in: 0...1) == 0 ? Self.xylophone : Self.organ)
      )
    }
    let length: Int64 = 2_400
    var alone: [Kind: Sound] = [:]
    var reference = try DrumLanes(font)
    for kind in Set(notes.map(\.kind)) {
      reference.fallSilent()
      let start = reference.position
      let isPlayed = reference.play(
        kind.key, velocity: 90, scorePart: 0, program: kind.program, at: start, until: start + length)
      #expect(isPlayed)
      alone[kind] = reference.render(49_152)
    }
    var sum = Sound(left: [Float](repeating: 0, count: 480_000), right: [Float](repeating: 0, count: 480_000))
    for note in notes {
      let sound = try #require(alone[note.kind])
      for frame in 0..<49_152 {
        sum.left[Int(note.frame) + frame] += sound.left[frame]
        sum.right[Int(note.frame) + frame] += sound.right[frame]
      }
    }
    var lanes = try DrumLanes(font)
    var (sound, next, mostVoices) = (Sound(), 0, 0)
    while sound.left.count < 480_000 {
      while next < notes.count, notes[next].frame < lanes.position + 4_000 {
        let note = notes[next]
        let isPlayed = lanes.play(
          note.kind.key, velocity: 90, scorePart: note.part, program: note.kind.program, at: note.frame,
          until: note.frame + length)
        #expect(isPlayed)
        next += 1
      }
      mostVoices = max(mostVoices, lanes.voices)
      sound += lanes.render(4_000)
    }
    #expect(mostVoices > 8 && sum.peak > 0.1)
    // The order in which voices are added differs, so the rounding does.
    let differences = zip(zip(sound.left, sum.left), zip(sound.right, sum.right)).lazy.map {
      max(abs($0.0.0 - $0.0.1), abs($0.1.0 - $0.1.1))
    }
    #expect(differences.max()! < 1e-3, "seed \(seed)")
  }

  /// A chord of 64 parts with four notes each on one frame: all 256 notes are held, and all end.
  @Test(arguments: InstalledSoundFont.all) func orchestraHolds256Notes(font: InstalledSoundFont) throws {
    // Strings and winds.
    let programs: [UInt8] = [40, 41, 42, 43, 56, 57, 60, 68, 70, 71, 72, 73]
    var lanes = try DrumLanes(font)
    for part in UInt8(0)..<64 {
      for note in UInt8(0)..<4 {
        let isPlayed = lanes.play(
          36 + part / 4 * 3 + note, velocity: 60, scorePart: part, program: programs[Int(part) % 12], at: 100,
          until: 40_000)
        #expect(isPlayed, "part \(part)")
      }
    }
    #expect(lanes.noteEnds.count == 256)
    #expect(lanes.render(40_960).peak > 0.1 && lanes.noteEnds.count == 0)
    // Ten seconds: all notes have decayed.
    _ = lanes.render(480_000)
    #expect(lanes.voices == 0 && lanes.table.idle == .max)
  }

  /// Random notes of 60 parts, far more than the lanes can hold. No note hangs after its end.
  @Test(arguments: InstalledSoundFont.all, UInt64(1)...2) func noNoteHangsAfterAnOverload(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    var lanes = try DrumLanes(font)
    var (mostNotes, mostVoices, played) = (0, 0, 0)
    for _ in 0..<120 {
      let frame = lanes.position + random.integer(in: 0...63)
      for _ in 0..<random.integer(in: 1...120) {
        let isPlayed = lanes.play(
          UInt8(random.integer(in: 30...90)), velocity: 80, scorePart: UInt8(random.integer(in: 0...59)),
          program: UInt8(random.integer(in: 0...127)), at: frame, until: frame + random.integer(in: 1...96_000))
        if isPlayed { played += 1 }
      }
      (mostNotes, mostVoices) = (max(mostNotes, lanes.noteEnds.count), max(mostVoices, lanes.voices))
      _ = lanes.render(64 * Int(random.integer(in: 1...40)))
    }
    #expect(played > 5_000 && mostNotes > 200 && mostVoices > 256, "\(played) \(mostNotes) \(mostVoices)")
    _ = lanes.render(96_000)
    #expect(lanes.noteEnds.count == 0)
    // Thirty seconds: the longest release of the fonts.
    _ = lanes.render(48_000 * 30)
    #expect(lanes.voices == 0 && lanes.table.idle == .max)
  }

  /// Cymbals on 200 frames use all lanes. A held organ is the oldest sound, but only the cymbals are stolen.
  @Test(arguments: InstalledSoundFont.all) func heldNoteIsKeptWhenSoundsAreStolen(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    _ = lanes.play(60, velocity: 100, scorePart: 5, program: Self.organ, at: 0, until: 400_000)
    for hit in Int64(1)...200 {
      let struck = lanes.strike(49, velocity: 60, at: hit * 64 + hit % 64)
      #expect(struck)
      if hit % 60 == 0 { _ = lanes.render(3_840) }
    }
    #expect(lanes.table.idle == 0 && lanes.noteEnds.count == 1)
    // The cymbals have decayed.
    let sound = lanes.render(380_000)
    #expect(sound[370_000..<380_000].peak > 0.01)
  }

  /// Four channels of a lane are for scores. A fifth note of a key in one lane ends the oldest one.
  @Test func fifthUnisonInALaneEndsTheOldest() throws {
    var lanes = try DrumLanes(.timGM6mb)
    for part in UInt8(0)..<5 {
      let isPlayed = lanes.play(60, velocity: 50, scorePart: part, program: 73, at: 0, until: 48_000 + Int64(part))
      #expect(isPlayed)
    }
    #expect(lanes.table.active.nonzeroBitCount == 1 && lanes.noteEnds.count == 4)
    // The four others end with the next block after their frames.
    _ = lanes.render(48_128)
    #expect(lanes.noteEnds.count == 0)
  }

  /// A release ends the notes of its part only, or of all parts of the score. A part of a rhythm goes on.
  @Test(arguments: InstalledSoundFont.all) func releaseConcernsItsPart(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    _ = lanes.play(48, velocity: 100, part: 1, program: Self.organ, at: 0, until: 1_000_000)
    for part in [0, 1, 63] as [UInt8] {
      _ = lanes.play(60 + part, velocity: 100, scorePart: part, program: Self.organ, at: 0, until: 1_000_000)
    }
    lanes.releaseScore(part: 1, at: 5_000)
    // A part out of range has no effect.
    lanes.releaseScore(part: 64, at: 5_000)
    _ = lanes.render(6_000)
    #expect(lanes.noteEnds.count == 3)
    lanes.releaseScore(at: 10_000)
    _ = lanes.render(6_000)
    #expect(lanes.noteEnds.count == 1)
    lanes.releaseNotes(at: 15_000)
    _ = lanes.render(6_000)
    #expect(lanes.noteEnds.count == 0)
  }

  @Test(arguments: InstalledSoundFont.all) func invalidNotesAreRefused(font: InstalledSoundFont) throws {
    var lanes = try DrumLanes(font)
    // In each row, one value is out of range.
    for (key, velocity, part, program) in [
      (128, 1, 0, 0), (60, 0, 0, 0), (60, 128, 0, 0), (60, 1, 64, 0), (60, 1, 0, 128),
    ] as [(UInt8, UInt8, UInt8, UInt8)] {
      let isPlayed = lanes.play(key, velocity: velocity, scorePart: part, program: program, at: 0, until: 10)
      #expect(!isPlayed)
    }
    #expect(lanes.render(4_096).isSilent)
  }
}

import Foundation
import MusicalTime
import Testing

@testable import Rhythm

/// The notes of the pitched parts. A `StyleNote` consists of a step, a key, and the end of the note in ticks after the first tick of
/// the step.
@Suite struct PartTests {
  @Test func validStyleIsRead() throws {
    let patch = try PatchLoader.patch(from: smallStyle.joined(separator: "\n"), file: "small.yaml")
    #expect(patch.chords?.text == "Dm7 | G7 Cmaj7" && patch.chords?.changes.map(\.step) == [0, 16, 24])
    #expect(patch.parts.map(\.part) == [.bass, .keys] && patch.bars == 2)
    #expect(patch.presentParts == [.drums, .bass, .keys])
    let bass = patch.parts[0]
    #expect(bass.sound == "fretless bass" && bass.rangeName == "E1..C3" && bass.level == 90)
    #expect(bass.feel == .milliseconds(-3) && bass.layers.map(\.name) == ["always", "from 60 to 90"])
    #expect(bass.lines.map(\.voice) == [.root, .fifth] && bass.lines.map(\.replaces) == [false, true])
    #expect(bass.lines[1].lowActivityChance == 20 && bass.lines[1].highActivityChance == 80)
    #expect(bass.lines[0].bars[0].prefix(5) == [.stroke(.accent), .hold, .hold, .hold, .rest])
    #expect(patch.parts[1].sound == "electric piano" && patch.parts[1].level == 100 && patch.parts[1].feel == .zero)
  }

  /// The bass plays the notes of each chord, with the sound, the loudness and the feel of its part.
  @Test func partPlaysTheChords() throws {
    let table = StepTable(try PatchLoader.patch(from: smallStyle.joined(separator: "\n"), file: "small.yaml"))
    // The roots of the chords Dm7, G7 and Cmaj7 are D2 (38), G1 (31) and C2 (36). A step has six ticks.
    let steps: [Int64] = [0, 6, 8, 16, 22, 24]
    #expect(table.notes(.bass, 0..<32).map(\.step) == steps)
    #expect(table.notes(.bass, 0..<32).map(\.key) == [38, 38, 38, 31, 31, 36])
    #expect(table.notes(.bass, 0..<32).map(\.end) == [24, 12, 24, 24, 12, 24])
    // An accent has the velocity 120, and the level of the part is 90 %.
    let hit = try #require(table.hits(at: Step(0), activity: 127).first { $0.part == .bass })
    #expect(hit.program == 35 && hit.delay == .milliseconds(-3) && hit.velocity == 108 && hit.group == 0)
    // The push is how much earlier than its step a hit can sound.
    #expect(table.maximumPush == .milliseconds(3))
    let drum = try #require(table.hits(at: Step(0), activity: 127).first { $0.part == .drums })
    #expect(drum.program == 0 && drum.end == 0 && drum.note == 36)
  }

  /// The keys of the tones root, third, fifth, seventh and octave in the range from C2 (36) to C3 (48). A chord without a third plays
  /// its fourth, second or fifth instead. A chord without a seventh plays its sixth or the octave (``PartTone``).
  @Test(arguments: [
    ("Cmaj7", [36, 40, 43, 47, 48]), ("Cm7", [36, 39, 43, 46, 48]), ("C", [36, 40, 43, 48, 48]),
    ("C6", [36, 40, 43, 45, 48]), ("C5", [36, 43, 43, 48, 48]), ("Csus4", [36, 41, 43, 48, 48]),
    ("Csus2", [36, 38, 43, 48, 48]), ("Cdim7", [36, 39, 42, 45, 48]), ("Caug", [36, 40, 44, 48, 48]),
    // A tone above the range sounds an octave lower. In C/E, E is the root for the bass.
    ("G7", [43, 47, 38, 41, 43]), ("C/E", [40, 40, 43, 40, 40]),
  ])
  func tonesOfAChord(chord: String, keys: [UInt8]) throws {
    for (tone, key) in zip(["root", "third", "fifth", "seventh", "octave"], keys) {
      let table = try makeStyle(chord, "bass: { range: C2..C3, always: { \(tone): x... } }", meter: "1/4")
      #expect(table.notes(.bass, 0..<1).map(\.key) == [key], "\(tone)")
    }
  }

  /// The approach note is a semitone below the root of the next chord. The chord after the last chord is the first chord.
  @Test func approachLeadsToTheNextChord() throws {
    let table = try makeStyle("Dm7 | G7 | E", "bass: { range: E1..C3, always: { approach: ...x } }", meter: "1/4")
    // F#1 (30) leads to G1. E1 is the lowest key, so the approach to E1 is F1 (29), from above. C#2 (37) leads to D2.
    #expect(table.notes(.bass, 0..<12).map(\.key) == [30, 29, 37])
  }

  @Test func onlyTheBassPlaysTheNoteAfterTheSlash() throws {
    let table = try makeStyle(
      "C/G", "bass: { always: { root: x... } }, keys: { range: C4..C5, always: { root: x... } }", meter: "1/4")
    #expect(table.notes(.bass, 0..<1).map(\.key) == [31] && table.notes(.keys, 0..<1).map(\.key) == [60])
  }

  /// The chords are in close position, within an octave. Each note is at most two semitones from a note of the chord before.
  @Test func voicesMoveLittle() throws {
    let table = try makeStyle(
      "C | F | G7 | C", "keys: { range: C3..C5, always: { chord: x... } }", meter: "1/4")
    let chords = (Int64(0)..<4).map { bar in table.notes(.keys, 4 * bar..<4 * bar + 1).map(\.key) }
    #expect(chords.map(\.count) == [3, 3, 4, 3])
    for (chord, tones) in zip(chords, [[0, 4, 7], [5, 9, 0], [7, 11, 2, 5], [0, 4, 7]] as [[UInt8]]) {
      #expect(Set(chord.map { $0 % 12 }) == Set(tones) && chord.last! - chord[0] < 12, "\(chords)")
    }
    for (chord, next) in zip(chords, chords.dropFirst()) {
      for key in next { #expect(chord.contains { abs(Int($0) - Int(key)) <= 2 }, "\(chords)") }
    }
  }

  /// In every range of at least an octave, each kind of chord on each root has all its notes.
  @Test func chordFitsEveryRange() throws {
    for root in ["C", "F#", "B"] {
      for quality in ChordQuality.all {
        let chord = try #require(Chord(named: root + quality.names[0]))
        for (lower, size) in [(0, 11), (35, 11), (50, 17), (116, 11), (0, 127)] as [(UInt8, UInt8)] {
          let keys = Voicing.nearest(to: [], chord, in: lower...lower + size)
          #expect(keys.count == quality.intervals.count && keys.allSatisfy { (lower...lower + size).contains($0) })
          #expect(keys.last! - keys[0] < 12 && keys == keys.sorted() && keys.allSatisfy { chord.tones.contains($0) })
        }
      }
    }
  }

  /// A note is held across a bar line, and from the end of a line of the patch into its repetition. The note at the end of the first bar
  /// lasts 2 + 8 steps (60 ticks). The note at the end of the second bar lasts 2 + 1 steps (18 ticks).
  @Test func noteIsHeldAcrossBars() throws {
    let table = try makeStyle(
      "C", "keys: { always: { root: -... .... .... ..x- | ---- ---- .... ..x- } }")
    #expect(table.notes(.keys, 0..<64).map(\.end) == [60, 18, 60, 18])
    #expect(table.notes(.keys, -32..<0).map(\.end) == [60, 18])
  }

  /// A note ends when its chord ends. A chord that is written again does not end the note. A bar has 96 ticks.
  @Test func heldNoteEndsWithItsChord() throws {
    let part = "keys: { range: C4..B4, always: { root: x--- ---- ---- ---- | ---- ---- ---- ---- } }"
    #expect(try makeStyle("C | G", part).notes(.keys, 0..<32) == [StyleNote(0, 60, 96)])
    #expect(try makeStyle("C | C", part).notes(.keys, 0..<32) == [StyleNote(0, 60, 192)])
    #expect(try makeStyle("C C | C G", part).notes(.keys, 0..<32) == [StyleNote(0, 60, 144)])
    #expect(try makeStyle("C", part).notes(.keys, 0..<32) == [StyleNote(0, 60, 192)])
  }

  /// A note that begins less than a quarter note before a change of chords, and is held into the new chord, belongs to the new chord.
  /// C4 is 60, and G4 is 67.
  @Test func heldNoteAnticipatesTheNextChord() throws {
    func keys(_ line: String) throws -> [StyleNote] {
      try makeStyle("C | G", "keys: { range: C4..B4, always: { root: \(line) } }").notes(.keys, 0..<32)
    }
    #expect(try keys("--.. .... .... ..x-") == [StyleNote(14, 67, 24), StyleNote(30, 60, 24)])
    #expect(try keys(".... .... .... ..x-") == [StyleNote(14, 60, 12), StyleNote(30, 67, 12)])
    // A quarter note before the change, the note belongs to the present chord.
    #expect(try keys("---- .... .... x---") == [StyleNote(12, 60, 24), StyleNote(28, 67, 24)])
  }

  /// The bass plays one note at a time: a note ends when another line begins a note. Of two notes at one tick, the louder one
  /// sounds. Of two equally loud notes, the note of the later line sounds.
  @Test func bassPlaysOneNoteAtATime() throws {
    let table = try makeStyle(
      "C",
      "bass: { always: { root: x--- ---- x--- X---, fifth: .... ..x- x--- x--- }, from 100: { octave: ..x. .... .... .... } }"
    )
    #expect(
      table.notes(.bass, 0..<16) == [
        StyleNote(0, 36, 36), StyleNote(6, 43, 12), StyleNote(8, 43, 24), StyleNote(12, 36, 24),
      ])
    #expect(table.notes(.bass, 0..<4, activity: 100) == [StyleNote(0, 36, 12), StyleNote(2, 48, 6)])
  }

  /// Other parts play several notes at a time, but each key only once. Of the notes of one key, the loudest one sounds.
  @Test func keySoundsOnceAtATime() throws {
    let table = try makeStyle(
      "C", "keys: { range: C4..C5, always: { root: X..., octave: x..., chord: x... } }", meter: "1/4")
    let hits = table.hits(at: Step(0), activity: 0).filter { $0.part == .keys }
    #expect(hits.map(\.note).sorted() == [60, 64, 67, 72])
    #expect(hits.first { $0.note == 60 }?.velocity == 120)
  }

  /// Swing moves the beginning and the end of a note, but not those of triplets. Both count from the first tick of the step: `position`
  /// in thousandths of a tick, and `end` in ticks. Swing of 75 % moves a sixteenth note by 3 ticks, and an eighth note by 6.
  @Test func notesSwing() throws {
    let swung = try makeStyle(
      "C", "keys: { always: { root: xx.x } }, guitar: { always: { root: xxx } }", meter: "1/4", fields: "swing: 75%")
    let hits = (Int64(0)..<4).flatMap { swung.hits(at: Step($0), activity: 0) }
    let keys = hits.filter { $0.part == .keys }
    #expect(keys.map(\.position) == [0, 3000, 3000] && keys.map(\.end) == [9, 6, 6])
    let guitar = hits.filter { $0.part == .guitar }
    #expect(guitar.map(\.position) == [0, 2000, 4000] && guitar.map(\.end) == [8, 10, 12])
    let eighths = try makeStyle("C", "keys: { always: { root: ..x. } }", meter: "1/4", fields: "swing: 75% eighths")
    let hit = eighths.hits(at: Step(2), activity: 0)[0]
    #expect(hit.position == 6000 && hit.end == 9)
  }

  @Test func partsHaveTheirOwnFeelAndLevel() throws {
    let table = try makeStyle(
      "C",
      "bass: { feel: +8 ms, always: { root: x... } }, keys: { level: 50%, feel: -12.5 ms, always: { chord: x... } }",
      meter: "1/4")
    let hits = table.hits(at: Step(0), activity: 0)
    #expect(hits.filter { $0.part == .bass }.map(\.delay) == [.milliseconds(8)])
    #expect(Set(hits.filter { $0.part == .keys }.map(\.delay)) == [.microseconds(-12_500)])
    // 50 % of 88, the velocity of a normal note.
    #expect(Set(hits.filter { $0.part == .keys }.map(\.velocity)) == [44] && table.maximumPush == .microseconds(12_500))
  }

  /// The layers of a part have their own ranges, and a line marked with ! replaces the lines of its tone in its part.
  @Test func layersOfAPart() throws {
    let table = try makeStyle(
      "C",
      """
      bass: { always: { root: x..., fifth: ..x. }, from 50 to 99: { root!: .x.. }, from 100: { root!: .... } },
      guitar: { always: { root: x... } }
      """, meter: "1/4")
    func steps(_ activity: UInt8, _ part: Part = .bass) -> [Int64] {
      table.notes(part, 0..<4, activity: activity).map(\.step)
    }
    #expect(steps(49) == [0, 2] && steps(50) == [1, 2] && steps(99) == [1, 2] && steps(100) == [2])
    #expect(steps(50, .guitar) == [0])
  }

  /// The chance of a part does not depend on the number of lines of the drums. The first line of the keys has the number 64.
  @Test func chanceOfAPartIsIndependentOfTheDrums() throws {
    let parts = "parts: { keys: { always: { root 40%: xxxx } } }"
    let play = "meter: 1/4\nchords: C\nseed: 5\nplay: { always: { kick: x...$ } }\n" + parts
    let tables = try ["", ", snare: x..., hat 50%: xxxx"].map { rest in
      try makeTable(play.replacingOccurrences(of: "$", with: rest))
    }
    let notes = tables.map { $0.notes(.keys, 0..<400).map(\.step) }
    let expected = (Int64(0)..<400).filter {
      Chance.happens(40, Chance.hash(seed: 5, bar: $0 / 4, line: 64, tick: UInt32($0 % 4 * 6)))
    }
    // About 40 % of the 400 steps have a note, which are 160.
    #expect(notes[0] == notes[1] && notes[0] == expected && (100...220).contains(expected.count))
  }

  /// Another cursor, another order of the steps and another copy of the table give the same hits.
  @Test func hitsDependOnTheStepOnly() throws {
    let text = smallStyle.joined(separator: "\n")
    let tables = try (0..<2).map { _ in StepTable(try PatchLoader.patch(from: text, file: "a.yaml")) }
    for activity in [0, 64, 127] as [UInt8] {
      let forward = (Int64(-64)..<64).map { tables[0].hits(at: Step($0), activity: activity) }
      let backward = (Int64(-64)..<64).reversed().map { tables[1].hits(at: Step($0), activity: activity) }
      #expect(forward == backward.reversed())
      // Two cursors of one step, used in turn.
      for step in Int64(0)..<32 {
        var (a, b) = (
          tables[0].cursor(at: Step(step), activity: activity), tables[1].cursor(at: Step(step), activity: activity)
        )
        while true {
          let (first, second) = (tables[0].next(&a), tables[1].next(&b))
          #expect(first == second)
          if first == nil { break }
        }
      }
    }
  }
}
